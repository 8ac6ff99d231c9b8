//! Texts that the text itself decides: what each prints is known, and the real bash prints the same.

use bash_commands::{Analyzer, Options};
use echoes::{Echo, may_be, predicted, printed};
use std::fmt::Write as _;
use std::path::Path;

mod echoes;

const TEXTS: &[&str] = &[
    // Arrays.
    "a=(1 2 3); a+=(4); a[7]=x; a[-1]=y; echo \"${a[@]}\" \"${a[*]}\" \"${#a[@]}\" \"${!a[@]}\" \"${a[2]}\" \"${a[-1]}\"",
    "a=(1 2 3); unset 'a[1]'; echo \"${!a[@]}\" \"${#a[@]}\" \"${a[1]-none}\"; unset 'a[@]'; echo \"${#a[@]}\"",
    "a=([5]=x y [2]=z); echo \"${!a[@]}:${a[*]}\"; a[5]+=w; echo \"${a[5]}\" \"${#a[5]}\"",
    "a=(1 2 3 4 5); echo \"${a[@]:1:2}\" \"${a[@]: -2}\" ${a[*]:3} \"${a[@]:9}\" \"${a[@]:0:0}\"",
    "a=([3]=x [9]=y); echo \"${a[@]:4}\" \"${a[@]: -1}\" \"${a[@]: -99}\"",
    "a=x; a[1]=y; echo \"${a[0]}${a[1]}\" \"$a\" \"${!a[@]}\"; a=z; echo \"${a[*]}\"",
    "a=(one two); for e in \"${a[@]}\"; do echo \"<$e>\"; done; echo \"${a[@]/o/0}\" \"${a[@]^}\" \"${a[@]#t}\"",
    "a=(); echo \"${#a[@]}\" \"${a[@]-empty}\" \"${a[@]+set}\" \"${a[*]:-none}\"; a=(''); echo \"${a[@]+set}\"",
    "x=text; echo \"${x[0]}\" \"${x[@]}\" \"${#x[@]}\" \"${!x[@]}\" \"${x[1]-no}\"; unset y; echo \"${#y[@]}\"",
    "i=2; a=(0 1 2 3); echo \"${a[i]}\" \"${a[i-1]}\" \"${a[$i]}\" \"${a[a[1]]}\"; a[i+1]=n; echo \"${a[3]}\"",
    // Associative arrays.
    "declare -A m=([k]=v [l]=w); m[z]=q; m[k]+=2; echo \"${m[k]}\" \"${#m[@]}\" \"${m[z]}\" \"${m[none]-no}\"",
    "declare -A m=(k v l w); echo \"${m[k]}${m[l]}\"; unset 'm[k]'; echo \"${#m[@]}\" \"${m[k]-gone}\"",
    "declare -A m; m[a b]=1; k='a b'; echo \"${m[a b]}\" \"${m[$k]}\" \"${m[\"$k\"]}\"; m+=([c]=2); echo \"${m[c]}\"",
    "declare -A m=([x]=1); m=z; echo \"${m[0]}\" \"$m\" \"${m[x]}\"; n='m[x]'; echo \"${!n}\"",
    // Parameter expansion.
    "x=abcdef; echo \"${x:2}\" \"${x:1:3}\" \"${x: -2}\" \"${x:1:-1}\" \"${x:10}\" \"${x:0:0}\" \"${#x}\"",
    "x=hello; echo \"${x^}\" \"${x^^}\" \"${x^^[el]}\" \"${x~}\" \"${x~~}\"; y=HELLO; echo \"${y,}\" \"${y,,}\" \"${y,,[EL]}\"",
    "x=\"it's\"; echo \"${x@Q}\" \"${x@U}\" \"${x@u}\" \"${x@L}\"; y='a\\tb'; echo \"${y@E}\"",
    "x=hello; echo \"${x/l/L}\" \"${x//l/L}\" \"${x/#h/J}\" \"${x/%o/a}\" \"${x//[el]/_}\" \"${x/l}\" \"${x//l/&&}\"",
    "x=/usr/local/lib; echo \"${x#*/}\" \"${x##*/}\" \"${x%/*}\" \"${x%%/*}\" \"${x%/}\" \"${x#usr}\"",
    "unset y; echo \"${y-d}\" \"${y:-d e}\" \"${y+s}\" \"${y:+s}\"; y=; echo \"${y-d}\" \"${y:-d}\" \"${y+s}\" \"${y:+s}\"",
    "y=v; echo \"${y-d}\" \"${y:-d}\" \"${y+s}\" \"${y:+s}\" ${y:+s t} ${y:+\"s t\"}",
    "unset z w; echo \"${z:=val}\" $z; echo ${w=q r} \"$w\"; v=; echo \"${v=a}${v:=b}\" $v; a[2]=; echo \"${a[2]:=c}\" ${a[2]}",
    "n=x; x=1; echo \"${!n}\" \"${!n-d}\"; n='a[1]'; a=(p q); echo \"${!n}\"; n='a[@]'; echo \"${!n}\"",
    "unset nope; echo before; (echo ${nope:?missing}); echo after; echo ${nope?gone}; echo never",
    "x=5; y=x; echo $((y+1)) $((x+=2)) $x $((x++)) $x $((--x)) $((x>3?1:0)) $((2**5)) $((7%4)) $((1,2)) $((0x1f|1)) $((2#101))",
    "unset y; x=; echo \"${x:-a${y:-b}c}\" \"${x:+n}\" \"${x:-'q'}\" ${x:-'q'} ${x:-a b}",
    // Positional parameters.
    "set -- a b c d; echo \"$1$2\" $# \"$*\" \"${@:2:2}\" \"${@: -1}\" ${*:3} \"${@:9}\"; shift; echo $1; shift 2; echo $#",
    "x='a b  c'; set -- $x; echo $# \"$2\"; set -- \"$x\"; echo $#; set --; echo $# \"${1-none}\"; shift; echo $?",
    "IFS=,; set -- 1 2 3; echo \"$*\"; x=a,b; set -- $x; echo $#; unset IFS; echo \"$*\"",
    "f() { echo $# \"$1\" \"${2:-two}\"; set -- z; echo $1; }; set -- o; f a; f a b c; echo $1",
    // Declarations.
    "unset x; declare -i n=3+4; n+=2; echo $n; n=2*n; echo $n; declare -i m; m=x+1; echo $m; declare +i n; n=1+1; echo $n",
    "declare -l low=ABC; declare -u up=abc; echo $low $up; low=XyZ; up+=d; echo $low $up",
    "declare -r k=1; echo $k; readonly q=2; export E=3 F; echo $q $E; typeset t=4; echo $t; declare -x g=5; echo $g",
    "x=1; declare -n r=x; r=new; echo $x \"${!r}\" $r; declare -n s; s=x; s+=er; echo $x; unset r; echo \"${x-unset}\"",
    "f() { local x=in; echo $x; g; echo $x; }; g() { echo $x; x=changed; }; x=out; f; echo $x",
    "unset l; f() { local -a l=(1 2); local -A m=([a]=b); local -i n=1+1; local u; echo ${#l[@]} ${m[a]} $n \"${u-unset}\"; }; f; echo \"${l-none}\"",
    "unset lo x; f() { declare -g gl=1; declare lo=2; local x; unset x; echo \"${x-u}\"; }; f; echo $gl \"${lo-none}\"",
    "x=1; unset x; echo \"${x-unset}\"; f() { echo f; }; unset -f f; unset nope; echo $?; x=2; unset -v x; echo \"${x-gone}\"",
    "x=$(exit 3) y=$?; echo $y $?; [[ $(false) == '' ]] && echo $?; [ \"$(exit 7)$?\" = 7 ] && echo seven",
    // Tests and settings of the shell.
    "x=1; a=([2]=b); declare -A m=([k]=v); unset u; for n in x u a 'a[2]' 'a[1]' 'a[@]' m 'm[k]' 'm[z]' 'a[-1]'; do [ -v \"$n\" ] && echo \"$n\"; done",
    "set -o noglob; [ -o noglob ] && echo on; set +o noglob; [ -o noglob ] || echo off; [[ -o errexit ]] || echo noexit; [ -n ] && echo n; [ -z ] && echo z",
    "set -a; x=1; set +a; set -- -x; echo $1; set - y; echo $1; set -- ; set a b; echo $#; set -B; echo {1,2}; set +B; echo {1,2}",
    "shopt -s nocasematch; [[ ABC == abc ]] && echo same; case X in x) echo folded;; esac; shopt -u nocasematch; [[ A == a ]] || echo differs; shopt -q nocasematch || echo off",
    "unset a; printf -v x %d 5; echo $x; printf -v 'a[2]' %s y; echo \"${!a[@]}\"; declare -A m; printf -v 'm[k]' %s z; echo ${m[k]}; printf -- '%s' q | { read l; echo \"$l\"; }",
    "let a=1 b=a+1 c=b*2; echo $a $b $c; let a-- ; echo $? $a; echo a | { read -r; echo \"$REPLY\"; }; IFS=- read -ra p <<< 'x-y-z'; echo ${p[2]} ${#p[@]}",
    "mapfile -d : -t a < <(printf 'x:y:z'); echo ${a[2]} ${#a[@]}; while read -r -d '' x; do echo \"$x\"; done < <(printf 'a\\0b c\\0')",
    "unalias nope 2>/dev/null; echo $?; shopt -s expand_aliases\nalias a='echo x'\na\nunalias -a\na() { echo function; }\na",
    "f() { for i in 1 2 3; do for j in 1 2; do break 2; done; echo no; done; echo $i$j; return; echo never; }; f; break; echo $?; (exit 256); echo $?",
    "exec 3>&1; echo a >&3; { echo b; } 2>&1 >/dev/null; exec 3>&-; x=1 <<< y; echo $x; echo c &> /dev/null; read l < <(echo d); echo $l",
    "export A=1; B=2; export B; declare -p A >/dev/null; local z 2>/dev/null || echo outside; declare -a l=(1 '2 3'); declare l+=x; echo \"${l[0]}\" ${#l[@]}",
    "if false; then a=1; elif true; then a=2; else a=3; fi; echo $a; while false; do :; done; echo $?; until true; do :; done && echo done; if false; then :; fi; echo $?",
    "f() { echo old; }; f() { echo new; }; f; g() { unset -f f; }; g; f 2>/dev/null || echo gone; h() { h2() { echo inner; }; h2; }; h; h2",
    "x='a;b'; eval \"y='$x'\"; echo \"$y\"; source /dev/stdin <<< 'echo sourced'; . <(echo 'z=dot'); echo $z",
    "f() { echo \"$1\" $?; return 2; }; f $(exit 4) $?; echo $?; echo \"$(f $(exit 5))\" $?",
    "set --; a=(1); echo \"${a[*]+set}\" \"${@+args}\" \"${*+args}\" x${@+y}z; set -- p; echo \"${@+args}\" \"${@-none}\"",
    "x=1 y=2 z=$x$y; echo $x$y$z; x+=a; echo $x; x=~+; y='~'; echo \"$y\"; z=a\\ b'c'\"d\"; echo \"$z\"",
    // Reading.
    "read a b <<< '1 2 3'; echo \"$a|$b\"; IFS=: read -r p q <<< 'u:v:w'; echo \"$p|$q\"; read -r <<< ' k '; echo \"$REPLY\"",
    "read -a arr <<< 'x y z'; echo ${arr[1]} ${#arr[@]}; read -d : d <<< 'e:f'; echo \"$d\"",
    "mapfile -t lines < <(echo l1; echo l2); echo \"${lines[1]}\" ${#lines[@]}; readarray r <<< x; echo \"${#r[0]}\"",
    "while read -r k v; do echo \"$v=$k\"; done <<EOF\na 1\nb 2 3\nEOF\necho end",
    "while IFS== read -r k v; do echo \"$k>$v\"; done < <(echo x=1; echo y=2=3)",
    "printf -v out '%s-%03d' a 7; echo $out; printf -v 'a[1]' %x 255; echo ${a[1]}; printf -v q %q 'a b'; echo \"$q\"",
    // Control.
    "s=; for ((i=0;i<3;i++)); do s+=$i; done; echo $s; for x in a b; do for y in 1 2; do [ $y = 2 ] && continue 2; echo $x$y; done; done",
    "i=0; while [ $i -lt 4 ]; do i=$((i+1)); [ $i = 2 ] && continue; [ $i = 4 ] && break; echo i$i; done; echo $i",
    "n=0; set --; until ((++n >= 3)); do echo n$n; done; echo $n; for x; do echo no; done; set -- p q; for x; do echo $x; done",
    "case abc in a?c) echo one;& z) echo two;; *) echo three;; esac; case x in [a-m]) echo am;; [!a-m]) echo nz;;& x) echo x;; esac",
    "! { set -e; false; }; echo never",
    "set -e; ! { false; }; echo on; ! { false && :; false; }; echo on; { ! false; false; } || echo on; if { set -e; false; }; then :; fi; { set +e; }; ! { true; set -e; }; echo end; ! true; echo on; false; echo never",
    "for i in 1 2; do x=$(echo a; break; echo b); echo \"$x$(for j in 1 2; do echo $j; continue 2; done; echo c)\" `echo d; break; echo e`; (break; echo in); { break; echo piped; } | cat >/dev/null; done",
    // Where an expansion fails, what hangs on it is not run.
    "y=; (for x in \"${y:?}\" a; do echo no; done; echo never); (case ${y:?} in *) echo no;; esac; echo never); ({ echo no; } > \"${y:?}\"; echo never); (echo \"${y:?}\" $(echo no); echo never); (x=${y:?}$(echo no); echo never); (select x in ${y:?}; do echo no; done; echo never)",
    "set -e; read x < <(false; echo no) || echo \"<$x>$(false; echo b) `false; echo c`\"; echo end",
    "false; eval 'echo 1 $?'; false; eval 'for x in 1; do echo 2 $?; done'; false; . /dev/stdin <<< 'echo 3 $?'; false; eval '# none'; echo 4 $?; false; eval ' '; echo 5 $?; false || eval 'echo 6 $?'; false; trap 'echo 7 $?' EXIT; (exit 3)",
    // What begins as arithmetic and is none may hold quotes that look like the beginning of an expansion.
    "echo \"$(( echo a ); eval 'x=$( printf '\\''%s\\n'\\'' b )'; echo \"$x\")\"; echo \"$((echo c); echo '$( d ')\" $((echo e); echo '${ f ')",
    // A local variable of a child is none of the function around.
    "y=; f() { (local y=3; echo in $y); y=5; }; f; echo \"$y\"; g() { x=$(local y=6; echo $y); y=7; local z=1; (local z; z+=2; echo z$z); echo z$z; }; g; echo $x $y; h() { local y=8; (unset y; y=9); echo $y; }; h; echo $y",
    // A file that is read has the parameters of the shell.
    "set -- p q r; . /dev/stdin <<< 'shift'; echo $1; . /dev/stdin <<< 'set -- z y'; echo $1 $2; . /dev/stdin a <<< 'echo in $1'; echo $1; f() { . /dev/stdin <<< 'shift'; echo f $1; }; f m n; echo $1",
    // What a construct runs first sees the status of what was before; one that runs nothing succeeds.
    "false; case x in x) echo $?;; esac; false; case x in y) ;; esac; echo $?; false; case $(exit 3) in *) echo $?;; esac; false; case x in x) ;; esac; echo $?",
    "false; case x in x) ;;& y) echo no;; esac; echo $?; true; case x in x) false;;& y) ;; esac; echo $?; (exit 3); case x in y) ;; x) ;& z) echo $?;; esac",
    "x() { return 4; }; x; for i in 1; do echo $?; done; x; for i in; do :; done; echo $?; x; for i in 1; do :; done; echo $?; x; { echo $?; }; x; (echo $?); x; y=$?; echo $y $?; x; ! echo $?",
    "x() { return 4; }; x; while echo w $?; false; do :; done; echo $?; x; until echo u $?; true; do :; done; x; while [ $? = 4 ]; do echo b $?; break; done; echo $?; x; if [ $? = 4 ]; then echo $?; fi; x; if false; then :; fi; echo $?",
    "x() { return 4; }; x; y=$(echo $?); echo \"$y $?\"; x; eval 'echo $?'; x; eval ''; echo $?; x; eval; echo $?; x; for ((i=$?; i<5; i++)); do echo f $? $i; done; x; [[ $? = 4 ]] && echo $?; x; (( $? == 4 )) && echo $?",
    "f() { return 3; }; f; echo $?; false; echo $?; true; echo $?; ! true; echo $?; (exit 4); echo $?; f || echo failed",
    "if [[ abc == a*c && ! x -ef y || 1 -gt 2 ]]; then echo t; fi; [[ abc =~ ^a(.)c$ ]] && echo ${BASH_REMATCH[1]}; [[ -z '' && -n a ]] && echo z",
    "[ a = a -a b != c ] && echo and; [ 1 -eq 2 -o -n x ] && echo or; [ ! a ] || echo not; test 3 -le 3 && echo le; [ '(' a ')' ] && echo p",
    "let 'v=3*4' v+=1; echo $v; ((v++)); echo $v; ((0)) || echo zero; let 0 || echo nought; echo $((v == 14 && !0))",
    "{ echo g; } > /dev/null; (echo s; exit 1; echo no) || echo f; eval 'echo ev'; eval echo \"'q r'\"; x='echo'; $x v",
    "trap 'echo bye' EXIT; echo hi; exit; echo never",
    "set -e; (echo in; false; echo no) || echo caught; f() { false; echo f; }; f || echo not; if false; then :; fi; echo on; false; echo off",
    "unset y nope; set -u; x=1; echo $x ${y-ok}; echo $nope; echo never",
    "shopt -s expand_aliases\nalias e='echo al' s='sudo '\ne x\nunalias e\nalias e='echo two'\ne y",
    "set -f; echo *.nothing; set +f; set -o noglob; echo ?x; shopt -s extglob\nx=aab; echo \"${x##+(a)}\" \"${x/@(a|b)/c}\"",
    "x=$(echo a; echo b; echo); echo \"$x\" \"`echo q`\" $(echo \"c  d\"); y=$(false); echo $?; echo $(exit 2)$?",
    "echo {1..3} {a..c} x{1,2}{a,b} {3..1} {01..03} {1..9..4} pre{,fix} {a} {,} a{b,{c,d}}e",
    "echo -n a; echo; echo -e 'a\\tb\\x41'; echo -E 'a\\tb'; echo $'a\\tb\\u41\\'c' $\"d\" \"\\$x \\`y\\` \\\\\" 'a'\\''b'",
    "f() { if [ $1 -gt 0 ]; then echo $1; f $(($1-1)); fi; }; f 3; g() ( x=sub; echo $x ); x=top; g; echo $x",
    "x=1; (x=2; echo $x); echo $x; { x=3; }; echo $x; x=4 eval 'echo $x'; echo $x; echo $(x=5; echo $x) $x | { read l; echo \"$l\"; }",
    "cat() { echo mine; }; cat; \\echo e; type() { echo t; }; type",
    "a=1; b=a; c=b; echo ${!b}; eval echo \\$$c; eval \"d=\\$$b\"; echo $d; v=name; eval \"$v=val\"; echo $name; declare \"$v=two\"; echo $name",
    // Failures, and what they leave.
    "x=1; unset 'x[0]'; echo \"${x-gone}\"; y=2; unset 'y[1]'; echo $? \"$y\"; y=3; unset 'y[@]'; echo $? \"${y-none}\"",
    "a=(1 2); unset 'a[-3]'; echo $?; unset 'a[-1]'; echo ${#a[@]}",
    "a=(1 2); a[-9]=x; echo never",
    "a=(1 2); declare -A a; echo $? \"${a[1]}\"; declare -a b=1; echo \"${b[0]}\"; declare -A m; declare -a m; echo $?",
    "declare 'a[1]=x'; declare 'a[2]+=y'; echo \"${a[1]}\" \"${a[2]}\"; export X=1; export -n X=2; declare -- y=3; declare +x z=4; echo $X$y$z",
    "export 'a[1]=x' || echo bad; declare 1x=2 || echo worse; export 2y; echo $?",
    "readonly r=1; declare r=2 || echo no; echo $r; unset r || echo kept; echo $r",
    "f() { local x=1; g; echo \"$x\"; }; g() { unset x; echo \"$x\"; }; x=0; f; echo $x",
    "declare -A m=([k]=3 [0]=7); echo $((m[k]+m)); a=(1 2 3); echo $((a[-1])) $((a[9]+0)); echo $((a[-1]=9)) ${a[2]}; let 'm[z]=4'; echo ${m[z]}",
    "a=(x y); a+=([1]+=z [0]+=w); echo \"${a[@]}\"; a=([-1]=q); echo \"${#a[@]}\"",
    "IFS=:; a=(p q); echo ${a[*]}; x=a:b:; set -- $x; echo $#; for e in ${a[@]}; do echo \"<$e>\"; done",
    "IFS=,; set -- p '' q; for x in $*; do echo \"<$x>\"; done; for x in $@; do echo \"{$x}\"; done; x=a,,b; for y in $x; do echo \"[$y]\"; done",
    "IFS=' ,'; x='a , b ,, c,'; for y in $x; do echo \"[$y]\"; done; x=',a'; set -- $x; echo $#",
    "declare -A m=([x]=1); echo \"${!m[@]}\" ${!m[*]}; IFS=:; a=(1 2); echo \"${!a[*]}\"",
    "x=abc; echo \"${x:1:-5}\"; echo never",
    "u=; unset u; echo \"${u:1}\" \"${u/a/b}\" \"${u^^}\" \"${u#x}\" \"${u:-}\" \"${u:+}\" \"${u-}x\"; v=1; echo \"${v:+}\" \"${v+}\" ${v:+} end",
    "a=(1 2 3); echo \"${a[@]:1:-1}\"; echo never",
    "declare -A m=([a]=1 [b]=2); echo \"${m[@]:1:1}\" \"${m[@]:0}\" \"${m[@]: -1}\"",
    "a=(); [ -v 'a[@]' ] || echo empty; a=(1); [ -v 'a[@]' ] && echo full; [ -v 'a[x' ] || echo odd; declare -A m=([k v]=1); k='k v'; [ -v 'm[$k]' ] && echo keyed",
    "[ x; echo $?; [ x ]]; echo $?; [; echo $?; test; echo $?; [ ]; echo $?",
    "f() { (return 3; echo no); echo $?; }; f; return; echo $?",
    "for i in 1 2; do break 0; echo x; done; echo $?",
    "for i in 1 2; do break 1 2; echo x; done; echo $?",
    "for i in 1 2; do break a; echo x; done; echo $?",
    "for i in 1 2; do continue 0; echo x; done; echo $?",
    "printf -vx %s 5; echo $x; printf -v 1x a || echo bad; printf -v 'a[' b || echo worse; printf -v 'a[]' b || echo worst",
    "read -rd: x <<< a:b; echo $x; read -- y <<< q; echo $y; IFS= read -r -d '' z < <(printf ' a\\0b'); echo \"$z\"; read -ra l -d ';' <<< 'a b;c'; echo ${#l[@]}",
    "set -ek +k; echo a; set +e; set + p q; echo $1; set -- ; set - ; echo $#; set -n; echo never",
    "trap; trap -p; trap -l >/dev/null; trap 'echo x' EXIT; trap - EXIT; trap 'echo y' 0; trap EXIT; trap -- 'echo bye' SIGEXIT EXIT; echo end",
    "let; echo $?; let 1/0; echo $?; let 'x=' ; echo $?; let 'y=3' 'y>4'; echo $? $y; ((z=)); echo $?",
    "x=$(echo aB1 | tr a-z A-Z); echo $x; echo \"$(printf 'a1 b_c' | tr -d '[:digit:]')\" \"$(printf 'a1 b_c' | tr '[:alnum:]' x)\" \"$(printf 'a,b;' | tr -d '[:punct:]')\" \"$(printf 'a b\\tc' | tr -d '[:blank:]')\" \"$(printf 'a\\nb c' | tr -d '[:space:]')\"",
    "[[ a && -z '' || b ]] && echo 1; [[ ! a ]] || echo 2; [[ -z a || -n '' ]]; echo $?; [[ ( a == a ) && b < c ]] && echo 3; [[ a == b && c ]]; echo $?; [[ 1 -eq 2 ]]; echo $?",
    "[[ a -eq 1/0 ]]; echo $?; [[ x =~ ( ]]; echo $?",
    "f() { local -n r=$1; r=set; r+=more; }; f out; echo $out; declare -n q=out; q=; echo \"<$out>\"; unset -n q; echo \"${q-gone}\" \"$out\"",
    "a=(1 2); for ((i=0; i<${#a[@]}; i++)); do echo ${a[i]}; done; for ((;;)); do break; done; for ((i=1/0;;)); do echo no; done; echo $?",
    "x=1; { echo $x; x=2; } | { read y; echo $y; }; echo $x; shopt -s lastpipe; echo 5 | read z; echo $z; set -o pipefail; false | true; echo $?; (exit 3) | (exit 4) | true; echo $?",
    "case x in a) echo a;; x) echo x;& y) echo y;;& x*) echo again;; esac; case '' in '') echo empty;; esac; case x in esac; echo $?",
    "x=a; case $x in \"$x\"b|\"$x\") echo quoted;; esac; case 'a*' in 'a*') echo star;; esac; case a] in [a]]) echo br;; esac",
    "unset a; a[x=3]=v; echo $x ${a[3]}; echo ${a[x]}; echo ${a[1/0]}; echo never",
    "for x in a b; do case $x in a) continue;; esac; echo $x; done; while true; do if true; then break; fi; done; echo end; until false; do break; done; echo $?",
    "f() { return 5; echo no; }; f || echo $?; f && echo yes; ! f && echo $?; g() { f; }; g; echo $?; h() { return; }; false; h; echo $?",
    "exit() { echo mine; }; exit; builtin exit 3; echo never",
    "set -e; f() { return 1; }; f || true; ! f; if f; then :; fi; while f; do :; done; (f) || true; x=$(false) || echo x; f | true; echo yes; f; echo never",
    "x=$(exit); echo $?; x=$(set -e; false; echo a); echo \"<$x>\"; shopt -s inherit_errexit; set -e; x=$(false; echo b) || echo \"<$x>\"",
    "declare -A m=([a]=1 [b]=2); echo \"${m[@]: -1}\" \"${m[@]: -2}\" \"${m[@]: -3}\" \"${m[@]: -4}\" \"${m[@]:2}\" \"${m[@]:3}\" \"${m[@]:0:1}\"",
    "x=abc; echo \"${x:1:-5}\"; echo never\necho next $?",
    "for ((i=1/0;;)); do echo no; done; echo hi $?",
    "for ((i=0;;i=1/0)); do echo x; done; echo hi",
    "for ((i=0;i<1/0;i++)); do echo x; done; echo hi",
    "for ((;;1/0)); do :; done; echo after",
    "for i in 1 2; do break a; echo x; done; echo $?",
    "for i in 1 2; do for j in a b; do break 99999999999; done; echo no; done; echo $?",
    "y=2; unset \"y[1]\"; echo $? $y; unset \"y[@]\"; echo $? $y;  unset \"y[*]\"; echo $? $y; unset nope; unset \"nope[1]\"; echo $?; unset \"y[0]\"; echo $? ${y-gone}; y=1; unset \"y[1-1]\"; echo $? ${y-gone}; y=1; unset \"y[-1]\"; echo $? ${y-gone}",
    "set -u; x=abc; a=(1); echo \"${x:1:-5}\"; echo never\necho \"${a[@]:0:-1}\"; echo never\necho on",
    "a=(1); [ -v 'a[x' ] || echo odd; [[ -v 'a[0' ]] || echo odder",
    "break 1 2; echo $?; break a; echo $?; f() { break x; echo f; }; for i in 1; do f; echo g; done; continue 0; echo $?",
    "for i in 1 2; do for j in 1 2; do continue 2; echo no; done; echo never; done; echo $i$j; for i in 1 2; do continue 9; done; echo $?",
    "p='a*'; x=abc; echo ${x#$p} ${x/$p/z} \"${x#\"$p\"}\"; [[ abc == $p ]] && echo m; r='^a'; [[ abc =~ $r ]] && echo r; [[ a.c =~ \"a.\" ]] && echo lit; case abc in $p) echo c;; esac; s='\\*'; y='a*b'; echo \"${y/$s/-}\"",
    "echo $((1/0)); echo never\necho \"a$((2**-1))\"; echo never\necho on; x=$((1/0)) || echo no\necho after $?",
    "echo $((64#A)) $((36#Z)) $((64#_)) $((64#@)) $((16#fF)) $((08 + 1)); echo never\necho $((1 +)); echo never\necho $((1 ? 2)); echo never\necho $((3 = 4)); echo never\necho $((x[)); echo never\necho $((5 % -3)) $((-7/2)) $((1<<3|1)) $((~0)) $((!5)) $((2**3**2)) $((x=5,x*=2,x-=1,x/=3,x%=2,x<<=3,x>>=1,x|=8,x&=12,x^=5)) $((1<2?3:4)) $((1&&0||1))",
    "for x in a b; do exit 3; done; echo never",
    "(while exit 3; do :; done; echo never); echo $?; (until return 2>/dev/null; do break; done); for x in; do echo no; done; echo $?",
    "cat <<$'a' | { read x; echo \"$x\"; }\none\na\ncat <<\"a\\\"b\" | { read x; echo \"$x\"; }\n$x two\na\"b\ncat <<\\E | { read x; echo \"$x\"; }\n`x`\nE\ncat <<-E | { read x; echo \"$x\"; }\n	tab $((1+1)) \\$x \\\n	joined\n	E\necho end",
    "x=$(printf 'a\\vb\\rc'); echo \"$x\" $'\\v\\r\\e\\E\\a\\b\\f\\cA\\?\\x4a\\112\\u00e9\\U1F600' \"$(echo -e '\\v\\r\\0101\\c')\" \"$(printf '%b' 'a\\tb\\c' ) z\"",
    "f() { local IFS=:; x=a:b; for y in $x; do echo \"$y\"; done; set -- p q; echo \"$*\"; }; f; x=a:b; for y in $x; do echo \"$y\"; done",
    "f() { shift; echo \"$@\" $#; shift 5; echo $?; set -- \"$@\" z; echo \"$*\"; }; f 1 2 3; set -- a; f; echo \"$@\"",
    "[[ a == a && ( b == c || d ) ]] && echo 1; [[ ! ( a == b ) ]] && echo 2; [[ a =~ ^(b|a)$ ]] && echo \"${BASH_REMATCH[@]}\"; [[ abc =~ b ]] && echo \"${BASH_REMATCH[0]}\"; [[ a =~ b ]]; echo $? \"${#BASH_REMATCH[@]}\"; [[ 'a b' == a\\ * ]] && echo 3; [[ a -lt 1 ]] && echo 4; [[ 3 -gt 2#10 ]] && echo 5",
    "test a = b -o c = c && echo 1; test '(' a = a ')' -a ! '' && echo 2; test ! a = b && echo 3; [ a -lt 1 ]; echo $?; [ 1 -lt 2 -a 3 -ge 3 ] && echo 4; [ -n '' -o -z '' ] && echo 5; [ a == a ] && echo 6; [ b '>' a ] && echo 7; [ ! ]; echo $?; [ = ] && echo 8; [ -n = ] && echo 9; test -f && echo 10; [ 1 2 ]; echo $?",
    "x=aXbX; IFS=X; echo $x \"$x\" ${x}; set -- $x; echo $# $1 \"$*\"; IFS=; y='a b'; set -- $y; echo $#; unset IFS; set -- $y; echo $#; IFS=$' \\t\\n'; read a b <<< ' p q r '; echo \"$b|\"",
    "a=(1 2 3); b=(\"${a[@]}\" 4); echo ${#b[@]}; c=(\"${b[@]:1:2}\"); echo \"${c[*]}\"; unset 'a[1]'; d=(\"${a[@]}\"); echo \"${!d[@]}\"; a+=(x y); echo \"${!a[@]}\"; a=(\"${a[@]/#/-}\"); echo \"${a[@]}\"; e=($(echo 1 2 3)); echo ${#e[@]}; f=({a,b}{1,2}); echo \"${f[@]}\"; g=([2]=a [0]=b c); echo \"${g[@]}\" \"${!g[@]}\"",
    "while read -r l || [ \"$l\" ]; do echo \"$l\"; done < <(printf 'a\\nb'); while IFS=, read -r a b; do echo \"$b\"; done <<< $'1,2\\n3,4'; printf 'x y\\n' | while read -r a b; do echo $b; done; { read x; read y; } <<< $'p\\nq'; echo $x$y; read x < <(:) || echo eof",
    "i=5; while ((i--)); do ((i%2)) && continue; echo $i; done; until ((i>=2)); do ((i++)); done; echo $i; for ((i=0,j=9;i<j;i+=3,j-=3)); do echo $i$j; done; for i in {1..3}; do for j in {1..3}; do ((j==2)) && continue 2; ((i==3)) && break 2; echo $i$j; done; done",
    "set -e; x=$(false) || true; if ! false; then echo a; fi; { false || echo b; }; (set +e; false; echo c); f() { false; echo \"in f\"; }; f || echo no; f && echo d; ! true; echo e; [[ a == b ]] || echo f; ((0)) || echo g; echo \"$(false; echo h)\"; local x=$(false) 2>/dev/null || echo i; y=$(false); echo never",
    "x=5; (( x > 3 )) && { echo big; } || echo small; ((x=0)); echo $?; ((x++)); echo $? $x; let x+=2 x*=3; echo $x; echo $((x++ + ++x)) $x; y=x; echo $((y)) $((y+1)) $(($y)); z='1+2'; echo $((z*2)) $((${z}*2))",
    // Aliases are those of the time when a line is read; what is printed may not arrive.
    "echo x >&- || echo gone",
    "exec >&-; echo x || echo gone",
    "echo x >/dev/full || echo gone",
    "{ echo x || echo gone; } > /dev/full",
    "printf x >&- || echo gone",
    "f() { echo x; }; f >&- || echo gone",
    "pwd >/dev/full || echo gone",
    "exec 1>/dev/full; echo y || echo gone",
    "shopt -s expand_aliases\nalias e='echo one'\nalias e='echo two'; e",
    "shopt -s expand_aliases\nalias e='echo one'\nunalias e; e",
    "shopt -s expand_aliases\nalias e='echo one'\nunalias -a; e",
    "shopt -s expand_aliases\nalias e='echo one'\nshopt -u expand_aliases; e",
    "shopt -s expand_aliases\nalias e='echo one'\nif true; then unalias e; e; fi; e\ne",
    "shopt -s expand_aliases\nalias e='echo one'\neval 'unalias e; e'; e\ne",
    "shopt -s expand_aliases\nalias e='echo one'\neval 'unalias e\ne'; e\ne",
    "shopt -s expand_aliases\nalias e='echo one'\nf() { unalias e; e; }\nf; e\ne\nf",
    "shopt -s expand_aliases\nalias e='echo one'\nalias e='echo two'; alias e='echo three'; e\ne",
    "shopt -s expand_aliases; alias e='echo one'; eval e",
    "shopt -s expand_aliases\nalias e='echo one'; eval e; eval \"alias e='echo two'; e\"; e\ne",
    "shopt -s expand_aliases\nalias e='echo one'\nalias e='echo two'; x=$(e); echo \"$x\"; e\nf() { e; }; alias e='echo three'; f\nf",
    "shopt -s expand_aliases; alias e='echo x'; eval :; e\ne",
    // Shells and wrappers: bash exports its `echo` to them.
    "printf 'a b\\nc' | xargs bash -c 'echo \"$@\"' _; printf 'a b\\nc d\\n' | xargs -n 1 bash -c 'echo \"$1\"' _; printf 'a b\\nc\\n' | xargs -L 1 bash -c 'echo \"$@\" $#' _; printf 'a b\\nc\\nd e\\n' | xargs -L 2 bash -c 'echo \"$@\" $#' _; printf 'a \\nb\\nc\\n' | xargs -L1 bash -c 'echo \"$@\" $#' _",
    "printf 'a b\\nc\\n' | xargs -I{} bash -c 'echo \"<$1>$2\"' _ {} x{}y; printf 'a\\0b c\\0' | xargs -0 bash -c 'echo \"$@\" $#' _; printf 'a,b c,' | xargs -d , bash -c 'echo \"$2|$1\"' _; printf 'p\\nq\\n' | xargs -I R bash -c 'echo R' _; printf \"'a b' c\\\\\\\\ d \\\"e\\\"\\n\" | xargs bash -c 'echo \"$1|$2|$3\" $#' _; printf 'a\\tb' | xargs -d '\\t' bash -c 'echo $#' _",
    ": | xargs bash -c 'echo none $#' _; : | xargs -r bash -c 'echo never' _; echo 1 2 3 4 5 | xargs -n 2 bash -c 'echo $#' _; echo 'a b' | xargs -i bash -c 'echo \"{}\"'; echo a | xargs -0 bash -c 'echo \"$1$2\"' _ x; echo k | xargs env V=w bash -c 'echo $V $1' _; echo 'a b' | xargs -l bash -c 'echo $#' _",
    "A=9 env bash -c 'echo $A'; export A=8; nice bash -c 'echo $A'; timeout 5 env nohup bash -c 'echo $A' 2>/dev/null; env A=7 timeout 5 bash -c 'echo $A'; bash -O extglob -c 'x=aab; echo ${x##+(a)}'; bash -O nocasematch -c '[[ A == a ]] && echo same'; bash -o pipefail -c 'false | true || echo failed'; bash +O extglob -c 'echo on'",
];

/// Texts that leave something open: an outside value, a file, a branch. What bash prints is among what is possible.
const OPEN_TEXTS: &[&str] = &[
    "echo $HOSTNAME \"$UNSET_BY_US\" ${RANDOM:0:1} a; x=$PPID; y=${x:-d}; echo \"$y\" ${y#1} ${#y} \"${y^^}\"",
    "for f in /nonexistent/*; do echo \"$f\"; cd /; done; for i in $(ls /nonexistent) a; do echo $i; done; for x in a $1 b; do echo $x; break; done",
    "for x in \"$@\" z; do [ $x = z ] && continue; echo $x; return; done; for 1x in a; do echo no; done; echo on",
    "if [ -e /nonexistent ]; then x=1; exit; else x=2; fi; echo $x; if [ -d / ]; then a() { echo one; }; else a() { echo two; }; fi; a",
    "[ -e / ] && f() { echo f; }; f; case $RANDOM in 1*) x=1;;& *2) x=2;& *3) x=3;; *) x=4;; esac; echo $x",
    // Newlines at the end of an output go, also those before what is not known and may be nothing.
    r#"x=$(printf 'a\n\n'; printf "$UNSET_BY_US"); echo "$x"; x=$(echo a & echo b; wait); echo "$x"; read y < <(sleep 0.1 && echo a & echo b; wait); echo "$y""#,
    // A new shell has the exported variables, without their attributes, and nothing else of the old one.
    "x=a y=b; export y; bash -c 'export x; echo \"x$x\" $y; x+=c; echo $x; y+=d; echo $y'; declare -ix n=2; bash -c 'n+=3; echo $n'; a=(1 2); export a; bash -c 'a[1]=x; echo ${a[@]}; a+=(3); echo ${a[@]}'",
    "x=5 z=1; export z; readonly z; bash -c '((x++)); echo $x; let x+=2; z=2; echo $z; declare -i x; echo \"$x\"; : ${x:=d}; echo $x; f() { local x; x+=l; echo $x; }; f'",
    // The trap of a shell that is left where its output is redirected prints here or there.
    r#"x=$(trap 'echo t' EXIT; { exit; } >/dev/null); echo "$x"; x=$(trap 'echo t' EXIT; f() { exit; } >/dev/null; f); echo "$x"; x=$(trap 'echo t' EXIT; { : ${NEVER_SET_BY_US:?}; } >/dev/null); echo "$x""#,
    // A variable that is local on some ways only.
    r#"y=1; f() { [ -e / ] && local y; y=2; }; f; echo "$y"; g() { [ -e /nonexistent ] && local y; y=3; }; g; echo "$y"; h() { if [ -e / ]; then local y=4; return; fi; y=5; }; h; echo "$y""#,
    // A redirection that may fail is one without which nothing is run.
    r#"x=1; x=2 eval 'exit' >"/nonexistent/$UNSET_BY_US"; echo on; { exit; } </nonexistent/x; echo on $x; set -e </nonexistent/x || echo off; f() { x=3; } >"/nonexistent/$RANDOM"; f || echo "$x""#,
    // So is what it printed before an expansion failed.
    r#"x=$UNSET_BY_US; y=$(echo a; : ${x:?}; echo b); echo "$y"; y=$(set -u; echo a; : "$NEVER_SET_BY_US"; echo b); echo "$y"; y=$(trap 'echo t' EXIT; x=$(:); for z in ${x:?} c; do echo $z; done; echo d); echo "$y""#,
    // What a child shell printed before it was left is all that it printed.
    r#"x=$(printf a; [ -e / ] && exit; printf b); echo "$x"; x=$(printf a; [ -e /nonexistent ] && exit; printf b); echo "$x""#,
    r#"x=$( (printf a; [ -e / ] && exit; printf b); printf c); echo "$x"; x=$(printf a; ([ -e / ] && exit; printf b); printf c); echo "$x""#,
    r#"x=$(if [ -e / ]; then printf a; exit; else printf b; exit; fi); echo "$x"; x=$(if [ -e / ]; then exit; else printf b; exit; fi); echo "$x""#,
    r#"x=$(while [ -e / ]; do printf a; [ -d / ] && exit; done; printf b); echo "$x"; x=$(f() { [ -e / ] && exit; printf f; }; f; printf g); echo "$x""#,
    r#"(set -e; printf a; [ -e /nonexistent ]; printf b) | { read x; echo "$x"; }; x=$(printf a; exit; printf b); echo "$x"; x=$(printf a; printf "%s" "${UNSET_BY_US:?}"; printf b); echo "$x""#,
    "case $HOSTNAME in nosuchhost) echo no; exit;; *) ;; esac; case / in $UNSET_BY_US/) echo slash;; esac; case a in $UNSET_BY_US) echo e;; a) echo a;; esac",
    "while read -r l; do echo \"$l\"; cd /; done < /etc/hostname; until [ -e / ]; do echo never; done; while :; do [ -e / ] && break; x=1; done; echo $x",
    "select x in a b; do echo $x; break; done <<< 2; select y in p; do echo \"$y\"; done </dev/null; select z in; do :; done; echo $?",
    "x=$RANDOM; ((x > 0)) && echo pos || echo neg; ((1/0)); echo $?; [[ $x -ge 0 && $x != a && ! $x == b ]] && echo c; [[ a < $x ]] ; echo d",
    "[[ abc < abd ]] && echo lt; [[ b > a ]] && echo gt; [[ 3 -ge 3 && 1 -ne 2 && a != b ]] && echo ge; [[ x =~ $UNSET_BY_US ]] && echo re; [[ a -eq 0 ]] && echo zero",
    "[[ ab == *$UNSET_BY_US ]] && echo m; [[ ab == x$UNSET_BY_US ]] || echo n; [[ -n $UNSET_BY_US || -z x ]] || echo o; [[ -v HOME || a ]] && echo p",
    "{ echo a; } < /nonexistent; echo $?; x=1 > /nonexistent/x; echo $x; >/nonexistent/y; echo b < /nonexistent; : <> /dev/null; echo c 3<&9; echo d",
    "exec 4< /dev/null; read l <&4; echo \"$l\"; exec 4<&-; echo e 1>&2; echo f >&$UNSET_BY_US; cat <<< \"$HOME\" | { read h; echo $h; }; read x <&0; echo $x",
    "IFS=$UNSET_BY_US; x='a b'; echo $x; set -- $x; echo \"$*\"; unset IFS; y=\"a $UNSET_BY_US b\"; echo $y; z=($y); echo ${#z[@]} ${z[0]}",
    "a=($UNSET_BY_US 1); a[$RANDOM]=2; echo ${a[0]} ${#a[@]}; declare -A m; m[$RANDOM]=1; echo ${#m[@]} ${m[x]-none}; unset a[$RANDOM]; echo ${!a[@]}",
    "n=$UNSET_BY_US; echo \"${!n-none}\" ${!HO*}; declare -n r=$UNSET_BY_US 2>/dev/null; eval \"$UNSET_BY_US\"; echo ${a[@]:$UNSET_BY_US:1}; printf -v x \"$UNSET_BY_US\"; echo $x",
    "getopts ab x -a; echo $x; shift $UNSET_BY_US; set $UNSET_BY_US; echo $#; trap \"$UNSET_BY_US\" EXIT; ulimit -n >/dev/null; umask >/dev/null; echo ${PIPESTATUS[0]}",
    "printf '%s\\n' \"$HOME\" | { read x; echo $x; }; echo $(printf '%d' $RANDOM); echo $(($RANDOM % 1)) $(date +%Y | cut -c1) `pwd`; type -t cd; echo $?",
    "cd /nonexistent || echo failed; cd / && echo $PWD; pushd /tmp >/dev/null; echo $PWD; popd >/dev/null; echo $PWD $OLDPWD; dirs >/dev/null; cd -; echo $PWD",
    "x=~nosuchuser; echo $x ~ ~/x ~+ ~-; echo {a,$UNSET_BY_US}b {1..$UNSET_BY_US}; echo *nosuch* [x]nosuch ?x\\*; shopt -s nullglob; echo *nosuch* end; shopt -s failglob; echo *nosuch*",
    "f() { local x=$RANDOM; [ $x ] && return 1; echo no; }; f; echo $?; echo a & wait; (sleep 0; exit 3); echo $?; ! :; echo $?",
    "PATH=$UNSET_BY_US:$PATH; PATH=/opt/x:$PATH; x=a$RANDOM; x=b$x; echo ${x:0:1}; while [ ${#y} -lt 3 ]; do y=a$y; done; echo $y; unset $UNSET_BY_US; echo $y",
    "shopt --bad; echo $?; shopt -s inherit_errexit; shopt -q extglob || echo off; set -o nounset -o allexport; set +o nounset; echo \"$u\"; set +o allexport",
    "eval -- echo a; eval; echo $?; .; echo $?; source -- /dev/stdin <<< 'echo q'; . /dev/stdin a b <<< 'echo $1'; echo $#",
    "PATH=; ls; echo $?; PATH=/nonexistent; grep x; echo $?; PATH=/nonexistent/bin::; foo; echo $?; x=1 bar; echo $x",
    "x=$(echo 'a:b' | cut -sd : -f 2 -); echo \"$x\"; x=$(printf 'a:b\\nc\\n' | cut -d : -s -f 1); echo \"$x\"; echo \"$(cat - <<< hi)\"; echo \"$(echo 'a-b' | tr '\\-' '_')\" \"$(printf 'a\\tb' | tr '\\t' :)\" \"$(printf 'a\\rb' | tr '\\r' :)\"",
    "declare -i n=5; n+=3; echo $n; declare -ai l=(1+1 2*3); l[0]+=4; echo ${l[@]}; declare -u U=abc; U[1]=def; echo ${U[@]}; export n+=1; echo $n",
    "x=5; echo $((x[0])) $((x[1])) $((y+1)); x=abc; echo $((abc)) $((x)); abc=7; echo $((x))",
    "if [[ a == b ]]; then echo no; elif ((1)); then echo arith; fi > /dev/null; [[ a ]] > /nonexistent/x; echo $?; ((1)) < /nonexistent; echo $?; { echo never; } < /nonexistent; echo $?",
    "s='a b'; set -- $s \"$s\" ''; echo $# \"$3\"; shift 9; echo $?; shift; echo $#; shift x; echo $?",
    "f() { echo ${#FUNCNAME[@]} \"$0\" | { read l; echo ${l%% *}; }; }; f; echo \"${FUNCNAME-none}\"",
    "echo ${x@Q} ${!x} ; x='$(echo hi)'; echo \"${x@P}\"; x=(a b); echo \"${x[@]@Q}\" \"${x[@]@U}\"",
    "x=é; echo ${#x} ${x:0:1} ${x^}; LC_ALL=C; echo ${#x}",
    "a[1]=b; a[a[1]]=x; echo ${a[0]}; b=1; a[b]=y; echo ${a[1]}; a['1']=z; echo ${a[1]}; a[$((1+1))]=w; echo ${a[2]}",
    "set -bh +bh; echo $?; set -o noglob -u; echo $? *; set +fu; echo \"${nope-none}\" $?",
    "f() { unset x; echo \"${x-u}\"; }; x=1; x=2 f; echo $x",
    "declare -a 'l=(1 2)'; echo ${#l[@]}; declare -n r='a[1]'; r=new; echo \"${a[1]}\" \"$r\"; n=t; : ${!n:=v}; echo $t; n='t2[1]'; : ${!n:=w}; echo ${t2[1]}",
    "compgen -W '$(echo w)'; compgen -C 'echo c' x; c() { echo f; }; compgen -F c y; complete -p >/dev/null; echo $?",
    "n=$UNSET_BY_US; x=a; for i in 1; do for j in 1; do break ${n:-2}; done; x=b; done; echo $x",
    "for i in 1 2; do for j in 1 2; do continue ${UNSET_BY_US:-2}; done; echo no; done; echo $i$j",
    "for ((i=1/UNSET_BY_US;;)); do echo never; done; echo after; for ((;;i=1/UNSET_BY_US)); do echo once; done; echo end; for ((i=UNSET_BY_US; i<1; i++)); do echo $i; done; echo $i",
    "[ x = \"$UNSET_BY_US\" ; echo $?; [ x ${UNSET_BY_US}]; echo $?; [ -n \"a$UNSET_BY_US\" ] && echo filled; [ -z \"a$UNSET_BY_US\" ] || echo full; [ \"b$UNSET_BY_US\" ] && echo b; [ *nosuch* ] && echo glob",
    "declare -A m=([a]=1); k=$UNSET_BY_US; [ -v 'm[$k]' ] || echo none; a=(1); [ -v 'a[UNSET_BY_US]' ] && echo zero; [ -o vi ] || echo novi; [ -v a ] && echo a; [ -x \"\" ] || echo nothing; [ -N / ]; echo $?",
    "y=2; unset \"y[$UNSET_BY_US 1]\"; echo \"$y\"; z=3; unset \"z[UNSET_BY_US]\"; echo \"${z-gone}\"; a=(1 2); unset \"a[UNSET_BY_US]\"; echo \"${a[@]}\"; a=(5 6); a[UNSET_BY_US]+=7; echo \"${a[0]}\"",
    "declare -i n=$RANDOM; n+=1; declare -l w=A$UNSET_BY_US; echo \"$w\"; x=$UNSET_BY_US; x+=b; echo \"$x\"; a=(1 $UNSET_BY_US 2); a+=(3); echo \"${a[0]}\"; a[9]+=x; echo \"${a[9]}\"",
    "declare -A m=([$UNSET_BY_US k]=v [l]=w); echo \"${m[l]}\"; declare -A o=(k v l); echo \"${o[k]}\" \"${#o[@]}\"; declare -A p=([a]=b c d); echo ${#p[@]}; a=([UNSET_BY_US]=z); echo \"${a[0]}\"",
    "read -t 1 x <<< a; echo $x; read -n 1 y <<< bc; echo $y; read -u 3 z 3<<< q; echo $z; IFS=$UNSET_BY_US read w <<< 'p q'; echo \"$w\"; mapfile -n 1 a <<< b; echo ${#a[@]}; mapfile -t -s 1 c < <(echo 1; echo 2); echo \"${c[0]}\"; read -a l -n 3 <<< 'x y'; echo ${l[0]}",
    "printf -v x \"%d\" $RANDOM; echo $((x >= 0)); printf -v \"$UNSET_BY_US\" a; printf -v; printf '%(%Y)T' 0 >/dev/null; echo \"$(printf '%s' *nosuch*)\" \"$(printf \"a$UNSET_BY_US%s\" b)\"; alias; alias nope; alias \"$UNSET_BY_US=x\"; echo $?",
    "set -o; shopt; shopt -p extglob; set -o $UNSET_BY_US; echo $?; shopt -s $UNSET_BY_US nosuch; echo $?; trap \"$UNSET_BY_US\" DEBUG; trap 'echo debug' DEBUG; :; trap - DEBUG; echo end",
    "x=$UNSET_BY_US; echo \"${x:-d}\" \"${x:+e}\" \"${x:1}\" \"${x/a/b}\" \"${x//$(echo s)/}\" \"${x^^[a]}\" \"${x@P}\" \"${#x}\"; echo \"${UNSET_BY_US[@]}\" \"${!UNSET_BY_US[@]}\" \"${UNSET_BY_US[1]}\" \"${UNSET_BY_US:=set}\"",
    "set -- $UNSET_BY_US b; echo $1 \"$@\" \"${*:1:1}\" \"${1-n}\" \"${1:=x}\" $#; f() { echo \"$*\" \"${@:2}\" \"$2\"; }; f \"$@\" $UNSET_BY_US; shift; echo \"$1\"",
    "a=('' ''); echo \"${a[@]:-x}\" \"${a[*]:-y}\" \"${a[@]:+z}\"; IFS=; echo \"${a[*]:-w}\"; echo \"${a[*]:0:1}\" \"${*:0:0}\"",
    "{ echo a; echo b >&2; } > >(cat); echo c > >(read x; echo \"$x\"); cat < <(echo d); echo e | tee >(cat >/dev/null) >/dev/null; echo f",
    "x=1; (echo $x; x=2) & wait $!; echo $x; coproc { echo co; }; wait; echo $?; time echo t; ! echo n; time -p :; echo $?",
    "x=a; export x; bash -c 'echo $x; y=1'; echo ${y-unset}; bash -c 'echo $1 $#' z p; env x=b bash -c 'echo $x'; echo $x; x=c bash -c 'echo \"$x\"'; sh -c 'echo sh'",
    "x=\"it's $UNSET_BY_US\"; eval \"echo '$x'\"; eval \"$UNSET_BY_US echo e\"; eval echo $UNSET_BY_US; source /nonexistent/file; echo $?; . /etc/hostname 2>/dev/null; echo on",
    "f() { [ \"$1\" = a ] && { echo yes; return; }; echo no; }; f $UNSET_BY_US; f a; g() { case $1 in x) return 1;; esac; echo g; }; g $UNSET_BY_US && echo ok; g x || echo bad",
    "exec 2>/dev/null; exec < /dev/null; read x; echo $?; exec 5<<< five; read y <&5; echo $y; exec 6>&1; echo six >&6; read z 0<&5; echo \"$z\"; exec 5<&-; { read w; echo $w; } 7<<< seven <&7",
    "echo {a,'b,c'} {a,\"b,$(echo d),e\"} {a,`echo 'x y'`} {a,\\,b} {a,\"}\"} {$x,b} {1..3..0} {a..e..2} {z..a..-5} {-1..1} {001..3} {1..a} {a,b}{c,{d,e}} {a,b {a}} \"{a,b}\" a{,}b {,}",
    "x='a b'; echo hi > $x; echo $?; echo a >&7; echo $?; exec 3>&1; exec 4>&3-; echo b >&4; echo c >&3; echo $?; echo d 4>&-; echo e >&-; echo $?",
    "select x in a b; do echo \"<$x>\" \"$REPLY\"; if [[ $REPLY == 2* ]]; then break; fi; done <<< $'\\n1\\n +2 \\n2x\\n1'; echo \"$x$REPLY\"",
    "select x in a b; do echo \"$x\" \"$REPLY\"; done <<< $'\\\\\\n1\\n'; echo $? \"<$x$REPLY>\"; printf 1 | { select x in a; do echo \"<$x>\"; done; echo \"<$REPLY>\"; }",
    "select x in a b; do echo \"<$x>\" \"$REPLY\"; break; done <<< 9; select x in a b; do echo \"<$x>\"; break; done <<< 1; select x in a b; do echo \"<$x>\"; done <<< ''; echo $?",
    "cd /; popd; echo $?; pushd; echo $?; pushd /tmp >/dev/null; echo $PWD; pushd >/dev/null; echo $PWD; popd >/dev/null; echo $PWD; popd; echo $?; cd; echo $?; cd a b; echo $?; cd ''; echo $? $PWD; cd ..; echo $PWD; cd ./tmp/../usr//; echo $PWD",
    "unset OLDPWD; cd -; echo $?; cd /tmp; cd - >/dev/null; unset HOME; cd; echo $?; HOME=/usr; cd; echo $PWD; cd ~; echo $PWD ~; x=~/a:~/b; echo $x; echo a=~/c; y=a:~; echo $y; HOME=; echo ~ \"~\"",
    "f() { local a=1; local -r b=2; local c; c=3; declare d=4; readonly e=5; export g=6; echo $a$b$c$d$e$g; }; f; echo \"${a-A}${b-B}${c-C}${d-D}$e$g\"",
    "x=1; f() { x=2; return 4; }; y=$(f; echo $x); echo $x \"$y\"; f | cat; echo $x ${PIPESTATUS[0]}; f & wait; echo $x; f; echo $? $x",
    "trap 'echo exit $?' EXIT; (exit 3); f() { trap 'echo f' RETURN; return 2; }; f; echo $?; (trap 'echo sub' EXIT; exit 1); x=$(trap 'echo cap' EXIT); echo \"$x\"; exit 5",
    "alias a=b; shopt -s expand_aliases\nalias hi='echo hi ' you='there'\nhi you\nalias x='echo a; echo b'\nx\nif true; then x; fi\n'hi' 2>/dev/null; \\hi; unalias hi x; hi",
    "eval 'f() { echo \"$1\"; }'; f a; eval \"for i in 1 2; do\" \"echo \\$i; done\"; eval 'x=5; exit 4' | cat; echo \"${x-unset}\"; eval 'return' ; eval '('; echo $?; eval 'echo a\necho b'",
    "printf '%s %d %x %o %c %5s|%-5s|%05d %+d %% %e\\n' a 1 255 8 xyz r l 42 7 1 | { read -r l; echo \"$l\"; }; echo \"$(printf '%s,' a b c)\" \"$(printf '%d' 0x1f)\" \"$(printf \"%d\" \"'A\")\" \"$(printf '%.2s|%*s' abc 4 x)\" \"$(printf '%s\\n' | wc -l)\"; printf '%d' x; echo $?; printf '%q %q\\n' 'a b' \"it's\" | { read -r l; echo \"$l\"; }",
    "declare -A m; for k in a b 'c d'; do m[$k]=${#k}; done; for k in \"${!m[@]}\"; do echo \"$k=${m[$k]}\"; done; [[ ${m[a]} -eq 1 ]] && echo one; m[a]+=9; ((m[b]+=4)); echo ${m[a]} ${m[b]}; unset 'm[c d]'; echo ${#m[@]}; unset m; echo \"${m[a]-gone}\"",
    "case aXb in a[[:upper:]]b) echo up;;& a?b) echo q;& zz) echo through;; *) echo no;; esac; case 'a b' in 'a '*) echo sp;; esac; case -x in -*) echo opt;; esac; case '' in ?) echo one;; '') echo none;; esac; case x in (x) echo paren;; esac; case [ in \\[) echo br;; esac",
    "x=/a/b.tar.gz; echo ${x##*/} ${x%.*} ${x%%.*} ${x#*.} ${x##*.} ${x//\\//_} ${x/%.gz/.xz} ${x/#\\/a/\\/z} ${x:(-3)} ${x:2:${#x}-4} \"${x/b*/}\" ${x^^[a-b]} ${x@Q} \"${x@A}\"",
    "echo x > /dev/nosuch/y || echo gone",
    "cd /proc; echo x > y || echo gone; read x < /dev/tty || echo notty; : < /dev/tty || echo notty2",
    "X=b env -S 'bash -c \"echo ${X}$1\" _ a'; export Y=c; env -S 'bash -c \"echo ${Y}\"'; env -S 'A=1 bash -c \"echo \\$A\"'; env -S \"bash -c 'echo a\\\\_b' _\"; env -S 'bash -c \"echo \\\"x\\ty\\\"\"'; env -iS 'PATH=/bin:/usr/bin bash -c :' ; echo $?",
    "env A=1 B=2 bash -c 'echo $A$B'; env -u A bash -c 'echo ${A-unset}'; A=9 env -u A bash -c 'echo ${A-gone}'; env -C / bash -c 'echo $PWD'; env - A=1 /bin/true; timeout 5 bash -c 'echo t'; nice -n 1 bash -c 'echo n'; nohup bash -c 'echo h' 2>/dev/null; command echo c; builtin echo b; exec bash -c 'echo e'; echo never",
    "bash -c 'echo $0 $1 $#' a b c; bash -c 'set -- x; echo $1' ; bash <<< 'echo in; read x'; echo 'echo piped \"$0\"' | bash; bash -s p q <<< 'echo $1$2 $#'; bash -ec 'false; echo no'; bash -c 'exit 3' || echo $?; bash -c 'x=1; echo $x'; unset x; echo \"${x-unset}\"; export x=2; bash -c 'echo $x; x=3'; echo $x; bash -fc 'echo *'; bash -uc 'echo a $nope; echo no'; bash -O extglob -c 'x=aab; echo ${x##+(a)}'",
    "find / -maxdepth 0 -exec bash -c 'echo \"$1\"' _ {} \\;; find / -maxdepth 0 -exec bash -c 'echo \"$@\"' _ {} +; find /usr -maxdepth 0 -execdir bash -c 'echo \"$1\"' _ {} \\; -quit",
    "A=9 env -u A bash -c 'echo ${A-gone}'; export B=1; env -i bash -c 'echo ${B-cleared}'; env - C=2 bash -c 'echo ${B-cleared} $C'; env -S '-i bash -c \"echo ${B}\"'; env --unset=B bash -c 'echo \"${B-gone}\"'; env -u X B=3 bash -c 'echo $B'; exec -c bash -c 'echo ${B-gone}'",
];

#[test]
fn bash_prints_what_is_predicted() {
    let mut wrong = String::new();
    for text in TEXTS {
        let Some(echoes) = printed(text, Path::new("/"), &[]) else {
            println!("skipped: no bash here");
            return;
        };
        let mut printed: Vec<String> = echoes.into_iter().map(|echo| echo.line).collect();
        let Some(mut predicted) = predicted(text) else {
            let _ = write!(wrong, "\n{text}\n  not known here; bash {printed:?}");
            continue;
        };
        // A command of a loop or function stands once for each different set of words.
        for lines in [&mut printed, &mut predicted] {
            lines.sort();
            lines.dedup();
        }
        if printed != predicted {
            let _ = write!(wrong, "\n{text}\n  bash {printed:?}\n  here {predicted:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_bash_prints_is_possible() {
    let mut wrong = String::new();
    for text in OPEN_TEXTS {
        let Some(echoes) = printed(text, Path::new("/"), &[]) else {
            println!("skipped: no bash here");
            return;
        };
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(text, &Options::default());
        for Echo { line, .. } in echoes {
            if !report.commands().any(|command| {
                command.name().is_some_and(|name| name.text() == "echo") && may_be(command, &line)
            }) {
                let _ = write!(wrong, "\n{text}\n  bash {line:?}\n  here {report:#?}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
