//! Any bytes as a settings file: no panic, and an error points into the file.

#![no_main]

use brakeline_settings::{HostLimits, Language, Layer, Layers, LoadError, LoadErrorKind, Position, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match Layer::parse(Source::Project, "settings.json", bytes) {
        Ok(layer) => check_layer(bytes, &layer),
        Err(error) => check_error(bytes, &error),
    }
});

fn check_layer(bytes: &[u8], layer: &Layer) {
    for note in layer.notes() {
        check_position(bytes, note.position);
        assert!(!note.text(Language::ZhCn).is_empty());
    }
    for key in layer.value().as_object().expect("a layer is an object").keys() {
        check_position(bytes, layer.position([key.as_str()]).expect("every key of a file has its place"));
    }
    // What strict JSON reads is read here too, and means the same.
    if let Ok(strict) = serde_json::from_slice::<serde_json::Value>(bytes) {
        assert_eq!(&strict, layer.value());
    }
    let layers = Layers::new([layer.clone()]);
    assert_eq!(layers.effective(), layer.value());
    for diagnostic in layers.read_settings(HostLimits::of_pi()).diagnostics {
        assert!(diagnostic.origin().is_some());
        assert!(diagnostic.text(Language::En).len() < bytes.len() + 1024);
    }
}

fn check_error(bytes: &[u8], error: &LoadError) {
    check_position(bytes, error.position().expect("a text that was read has a place for its fault"));
    assert!(!error.to_string().contains('\n'));
    assert!(!error.text(Language::ZhCn).is_empty());
    if !matches!(error.kind(), LoadErrorKind::NotAnObject { .. }) {
        assert!(
            serde_json::from_slice::<serde_json::Value>(bytes).is_err(),
            "strict JSON was refused: {error}"
        );
    }
}

fn check_position(bytes: &[u8], position: Position) {
    let before = bytes.get(..position.offset).expect("the place is in the text");
    let text = std::str::from_utf8(before).expect("the place is between characters");
    let breaks = text.replace("\r\n", "\n").chars().filter(|char| matches!(char, '\n' | '\r')).count();
    // A place between `\r` and `\n` is still on the line that they end.
    assert!(position.line == breaks + 1 || position.line == breaks);
    assert!(position.column >= 1 && position.column <= text.chars().count() + 1);
}
