//! Layers of settings in order of precedence, and which of them a value came from.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::excerpt::excerpt;
use crate::get::{resolve, step};
use crate::jsonc::{self, Place};
use crate::key_path::{KeyPath, Segment};
use crate::language::Language;
use crate::load_error::LoadError;
use crate::merge::merge_into;
use crate::note::Note;
use crate::position::Position;

/// Where a layer comes from, weakest first: a later source overrides an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The user's own file, for every project.
    Global,
    /// The project's file; counts only if the project is trusted.
    Project,
    /// What was given for this run: the command line, the host.
    Override,
}

impl Source {
    /// Returns the name for people.
    #[must_use]
    pub fn name(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Global, Language::En) => "global",
            (Self::Project, Language::En) => "project",
            (Self::Override, Language::En) => "override",
            (Self::Global, Language::ZhCn) => "全局",
            (Self::Project, Language::ZhCn) => "项目",
            (Self::Override, Language::ZhCn) => "覆盖",
        }
    }
}

/// Writes the English name.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name(Language::En))
    }
}

/// The settings of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    source: Source,
    file: Option<PathBuf>,
    members: Value,
    places: Option<Place>,
    notes: Vec<Note>,
}

impl Layer {
    /// Makes a layer of settings that stand in no file.
    #[must_use]
    pub fn from_members(source: Source, members: Map<String, Value>) -> Self {
        Self { source, file: None, members: Value::Object(members), places: None, notes: Vec::new() }
    }

    /// Reads a layer from the bytes of a file: JSON, in which comments, trailing commas and a byte-order mark are tolerated.
    ///
    /// The file is not opened; its name is for messages. Of a key that stands twice in an object, the last one counts.
    /// Costs one pass over the bytes, and memory in proportion to them.
    ///
    /// ```
    /// use brakeline_settings::{Layer, NoteKind, Source};
    ///
    /// let layer = Layer::parse(Source::Project, ".pi/settings.json", b"{\n  \"defaultTimeout\": 300, // builds\n}")?;
    /// assert_eq!(layer.value()["defaultTimeout"], 300);
    /// assert_eq!(layer.position("defaultTimeout").unwrap().line, 2);
    /// assert_eq!(layer.notes()[0].kind, NoteKind::TrailingComma);
    /// # Ok::<(), brakeline_settings::LoadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LoadError`] with line and column when the bytes are not one JSON object in UTF-8, nest deeper than
    /// [`MAX_DEPTH`](crate::MAX_DEPTH), or hold a number beyond 64 bits of floating point.
    pub fn parse(source: Source, file: impl Into<PathBuf>, bytes: &[u8]) -> Result<Self, LoadError> {
        let file = file.into();
        match jsonc::parse(bytes) {
            Ok(document) => Ok(Self {
                source,
                file: Some(file),
                members: Value::Object(document.members),
                places: Some(document.root),
                notes: document.notes,
            }),
            Err(fault) => Err(LoadError::new(file, fault.position, fault.kind)),
        }
    }

    /// Returns the source.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// Returns the file it was read from.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns what this layer alone says: an object.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.members
    }

    /// Returns what the file says that a strict reader refuses.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns where this layer's file says the value of a path: the place of its key, or of the element in an array.
    ///
    /// `None` for a layer without a file and for a path that the file does not write.
    #[must_use]
    pub fn position(&self, path: impl Into<KeyPath>) -> Option<Position> {
        let (steps, _) = resolve(&self.members, &path.into())?;
        self.position_at(&steps)
    }

    fn position_at(&self, steps: &[Segment]) -> Option<Position> {
        self.places.as_ref()?.find(steps).map(|place| place.position)
    }

    /// Says what this layer does to the value at some steps.
    fn effect_at(&self, steps: &[Segment]) -> Effect {
        let mut value = &self.members;
        for segment in steps {
            match step(value, segment) {
                Some(inner) => value = inner,
                None if value.is_object() => return Effect::None,
                None => return Effect::Hides,
            }
        }
        Effect::Gives
    }
}

/// What a layer does to a value of the layers below.
enum Effect {
    /// Says nothing of it.
    None,
    /// Gives it, or part of it.
    Gives,
    /// Replaces something around it, so that the layers below no longer show.
    Hides,
}

/// Where a value in force comes from.
///
/// Writes itself as `project, .pi/settings.json:4`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Origin {
    /// The source of the layer that gave it.
    pub source: Source,
    /// The file of that layer, spelled as the loader was given it.
    pub file: Option<PathBuf>,
    /// The place in the file.
    pub position: Option<Position>,
}

impl Origin {
    /// Returns source, file and line for people.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let mut text = self.source.name(language).to_owned();
        if let Some(file) = &self.file {
            text.push_str(match language {
                Language::En => ", ",
                Language::ZhCn => "，",
            });
            text.push_str(&file.display().to_string());
            if let Some(position) = self.position {
                text.push(':');
                text.push_str(&position.line.to_string());
            }
        }
        text
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

/// Layers laid over each other: the settings in force.
///
/// ```
/// use brakeline_settings::{Layer, Layers, Source, read_setting};
///
/// let global = Layer::parse(Source::Global, "/home/ada/.pi/agent/settings.json", br#"{"defaultTimeout": 60}"#)?;
/// let project = b"{\n  \"guardLoop\": {\"auto\": \"tests pass\"},\n\n  \"defaultTimeout\": 300\n}";
/// let project = Layer::parse(Source::Project, ".pi/settings.json", project)?;
/// let layers = Layers::new([project, global]);
///
/// assert_eq!(read_setting(layers.effective(), "defaultTimeout", 120), 300);
/// assert_eq!(layers.describe("defaultTimeout").unwrap(), "defaultTimeout = 300 (project, .pi/settings.json:4)");
/// assert_eq!(layers.origin("guardLoop.maxContinuations"), None, "a default comes from no layer");
/// # Ok::<(), brakeline_settings::LoadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// INVARIANT: weakest first; `effective` is their merge.
    layers: Vec<Layer>,
    effective: Value,
}

impl Default for Layers {
    fn default() -> Self {
        Self::new([])
    }
}

impl Layers {
    /// Lays layers over each other by their sources; of two with the same source the later one is stronger.
    ///
    /// Objects merge at every depth, arrays and everything else replace, as [`merge`](crate::merge()) does it.
    #[must_use]
    pub fn new(layers: impl IntoIterator<Item = Layer>) -> Self {
        let mut layers: Vec<_> = layers.into_iter().collect();
        layers.sort_by_key(Layer::source);
        let mut effective = Map::new();
        for layer in &layers {
            if let Value::Object(members) = &layer.members {
                merge_into(&mut effective, members);
            }
        }
        Self { layers, effective: Value::Object(effective) }
    }

    /// Returns the settings in force: an object.
    #[must_use]
    pub fn effective(&self) -> &Value {
        &self.effective
    }

    /// Returns the layers, weakest first.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Returns where the value in force at a path comes from; `None` where the settings have none.
    ///
    /// An object to which several layers contribute comes from the strongest of them; ask for its keys to know more.
    #[must_use]
    pub fn origin(&self, path: impl Into<KeyPath>) -> Option<Origin> {
        let (steps, _) = resolve(&self.effective, &path.into())?;
        for layer in self.layers.iter().rev() {
            match layer.effect_at(&steps) {
                Effect::None => {}
                Effect::Hides => return None,
                Effect::Gives => {
                    let (source, file) = (layer.source, layer.file.clone());
                    return Some(Origin { source, file, position: layer.position_at(&steps) });
                }
            }
        }
        None
    }

    /// Returns one line on the value in force at a path, `path = value (origin)`; `None` where the settings have none.
    ///
    /// A long value is cut.
    #[must_use]
    pub fn describe(&self, path: impl Into<KeyPath>) -> Option<String> {
        self.describe_in(path, Language::En)
    }

    /// Returns the line of [`describe`](Self::describe) in a language.
    #[must_use]
    pub fn describe_in(&self, path: impl Into<KeyPath>, language: Language) -> Option<String> {
        let path = path.into();
        let (steps, value) = resolve(&self.effective, &path)?;
        let shown = KeyPath::from(steps);
        let origin = self.origin(&path)?.text(language);
        Some(match language {
            Language::En => format!("{shown} = {} ({origin})", excerpt(value)),
            Language::ZhCn => format!("{shown} = {}（{origin}）", excerpt(value)),
        })
    }

    /// Finds the layer of a source and file, which the loader lets stay in force when the file breaks.
    pub(crate) fn find(&self, source: Source, file: &Path) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.source == source && layer.file() == Some(file))
    }
}
