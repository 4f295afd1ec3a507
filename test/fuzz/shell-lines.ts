import { readFileSync } from "node:fs";
import { fileLine } from "./file-lines.ts";
import type { Random } from "./random.ts";
import { wrapperLine } from "./wrapper-lines.ts";

/**
 * Lines for bash, half from its grammar and half from its odd corners, then mutated. Every head has a name of its own
 * (`c1`, `c2`, …), so that one that hides cannot pass for another that is seen.
 */
export function shellLine(random: Random): string {
  if (random.chance(0.12)) return mutated(hidden(random.pick(ordinary), random), random);
  if (random.chance(0.25)) {
    const named = fileLine(random);
    return random.chance(0.15) ? mutated(named, random) : named;
  }
  const maker = new LineMaker(random);
  const line = random.chance(0.9) ? maker.list(random.pick([0, 1, 1, 2, 2, 3])) : maker.soup();
  return random.chance(0.35) ? mutated(line, random) : line;
}

/** What agents really send: near the border of what is analyzed, where a small change counts most. */
const ordinary = (
  JSON.parse(readFileSync(new URL("../fixtures/shell/ordinary.json", import.meta.url), "utf8")) as string[]
).map((line) => line.replaceAll("/tmp", "d1")) as [string, ...string[]];

/** The line with a command put somewhere into it, in one of the ways a command can hide. */
function hidden(line: string, random: Random): string {
  const at = random.below(line.length + 1);
  const command = random.pick([
    "$(c96 x)",
    "`c96 x`",
    "<(c96)",
    ";c96;",
    "\nc96\n",
    "|c96",
    "${x:-$(c96)}",
    '"$(c96)"',
    "&&c96 ",
    ">f6 ",
    "'$(c96)'",
    "c96",
    " ",
    "''",
  ]);
  return line.slice(0, at) + command + line.slice(at);
}

class LineMaker {
  readonly #random: Random;
  #heads = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  list(depth: number): string {
    const random = this.#random;
    let line = this.#command(depth);
    for (let count = random.pick([0, 0, 1, 1, 2]); count > 0; count--) {
      line +=
        random.pick([" ; ", " && ", " || ", " | ", " |& ", " & ", "\n", ";", "&&", "|", " ;\n"]) + this.#command(depth);
    }
    return line + random.pick(["", "", "", "", " ", ";", " &", " # c99", " # <<'E'\nc97\nE", "\n"]);
  }

  soup(): string {
    const random = this.#random;
    let line = this.#head();
    for (let count = 2 + random.below(10); count > 0; count--) {
      line += random.chance(0.5) ? random.pick(tokens) : random.chance(0.5) ? this.#word(1) : this.#head();
      if (random.chance(0.5)) line += " ";
    }
    return line;
  }

  #head(): string {
    this.#heads += 1;
    return `c${this.#heads}`;
  }

  #command(depth: number): string {
    const random = this.#random;
    if (random.chance(0.06)) return wrapperLine(random, () => this.#head());
    const roll = random.below(depth > 0 ? 27 : 15);
    if (roll < 9) return this.#simple(depth);
    if (roll === 9) return this.#assignment(depth);
    if (roll === 10) return this.#redirection(depth);
    if (roll === 11) return this.#evaluator(depth);
    if (roll === 12) return this.#builtin(depth);
    if (roll === 13) return `! ${this.#simple(depth)}`;
    if (roll === 14) return this.#moved(depth);
    return this.#compound(depth - 1);
  }

  #simple(depth: number): string {
    const random = this.#random;
    let text = random.chance(0.15) ? `${this.#assignment(depth)} ` : "";
    text += random.chance(0.12) ? this.#quotedHead() : this.#head();
    for (let count = random.below(4); count > 0; count--) text += ` ${this.#word(depth)}`;
    if (random.chance(0.3)) text += ` ${this.#redirection(depth)}`;
    return text;
  }

  #quotedHead(): string {
    const head = this.#head();
    return this.#random.pick([
      `\\${head}`,
      `'${head}'`,
      `"${head}"`,
      `c''${head.slice(1)}`,
      `$'${head}'`,
      `$"${head}"`,
      `${head}$x`,
      `$x${head}`,
      `{${head},y}`,
      `"$x"${head}`,
      `${head}>()`,
      `${head}<()y`,
      `x>()${head}`,
    ]);
  }

  #word(depth: number): string {
    const random = this.#random;
    if (random.chance(0.5)) return random.pick(plainWords);
    if (random.chance(0.03)) return random.pick(breakingWords);
    if (depth <= 0) return random.pick(oddWords);
    const inner = () => this.list(depth - 1);
    return random.pick<() => string>([
      () => `$(${inner()})`,
      () => `"$(${inner()})"`,
      () => `\`${inner()}\``,
      () => `"a \`${this.#head()} x\` b"`,
      () => `<(${inner()})`,
      () => `>(${inner()})`,
      () => `$(${inner()} # )\n)`,
      () => `$((${inner()}))`,
      () => `$((${inner()});${inner()})`,
      () => `<((${inner()}))`,
      () => `\${x:-<(${inner()})}`,
      () => `\${ ${inner()}; }`,
      () => `"$(c0${this.#heredoc(0)})"`,
      () => `\`c0${this.#heredoc(0)}\``,
      () => `"${this.#heredoc(0)}"`,
      () => `'${this.#heredoc(0)}'`,
      () => `\${x:-$(${inner()})}`,
      () => `"\${x:-$(${inner()})}"`,
      () => `\${x:-${this.#word(depth - 1)}}`,
      () => `\${x/${this.#word(depth - 1)}/${this.#word(depth - 1)}}`,
      () => `"\${x%${this.#word(depth - 1)}}"`,
      () => `$((1 + $(${inner()})))`,
      () => `$(( ${this.#word(0)} ))`,
      () => `\${y['$(${this.#head()} x)']}`,
      () => `\${y[$(${this.#head()})]}`,
      () => `"\${x@P}"`,
      () => `\${!x}`,
      () => `{a,$(${inner()})}`,
      () => `$'a\\'b' $(${this.#head()})`,
      () => `"a"'b'$x$(${inner()})`,
      () => `a[$(${this.#head()})]`,
      () => `@(a|$(${this.#head()}))`,
      () => `7>(${this.#head()} x)`,
      () => this.#word(depth - 1) + this.#word(depth - 1),
      () => this.#word(depth - 1) + this.#word(depth - 1),
      () => `x>(${this.#head()})${this.#head()}`,
      () => random.pick(oddWords),
      () => random.pick(oddWords),
    ])();
  }

  #assignment(depth: number): string {
    const random = this.#random;
    const name = random.pick(["x", "y", "foo", "X", "LANG", "PS4", "a_1"]);
    return random.pick<() => string>([
      () => `${name}=${this.#word(depth)}`,
      () => `"${name}"=${this.#word(depth)}`,
      () => `${name}\\=${this.#word(depth)}`,
      () => `${name}+=${this.#word(depth)}`,
      () => `${name}='a[$(${this.#head()} x)]'`,
      () => `${name}='-v'`,
      () => `${name}=(1 $(${this.#head()} x))`,
      () => `${name}=(1 $(${this.#head()} x))x`,
      () => `${name}[$(${this.#head()})]=1`,
      () => `${name}[0]=1`,
    ])();
  }

  #redirection(depth: number): string {
    const random = this.#random;
    const operator = random.pick([
      ">",
      ">>",
      ">|",
      "&>",
      "&>>",
      "2>",
      "<",
      "<>",
      "3<>",
      "{fd}>",
      "<<<",
      ">&",
      "<&",
      "2>&",
      "0<",
      "x>",
    ]);
    const target = random.pick<() => string>([
      () => `f${random.below(9)}`,
      () => `f${random.below(9)}`,
      () => `f${random.below(9)}`,
      () => "/dev/null",
      () => "1",
      () => "-",
      () => "'f 1'",
      () => `"f$x"`,
      () => `'$(${this.#head()} x)'`,
      () => this.#word(depth - 1),
    ])();
    if (random.chance(0.25)) return this.#heredoc(depth);
    return operator + random.pick(["", " "]) + target;
  }

  #heredoc(depth: number): string {
    const random = this.#random;
    const mark = random.pick(["E", "E", "E", "'E'", "'E'", '"E"', "\\E", "-E", "-'E'", "$E", "E$(c98)", "'E'x"]);
    const body = random.pick<() => string>([
      () => "plain",
      () => `$(${this.#head()} x)`,
      () => `\${x:-'$(${this.#head()} x)'}`,
      () => `\${x:-"$(${this.#head()} x)"}`,
      () => `\`${this.#head()}\` $x \\$y`,
      () => `$((x[$(${this.#head()})]))`,
      () => this.#word(depth - 1),
      () => `\\\`${this.#head()}\\\``,
      () => `E2\n$(${this.#head()})`,
      () => `it's "a" \`b ) } ] \\\n$(${this.#head()})`,
      () => `<<'E'\n${this.#head()}`,
      () => `"\nE\n${this.#head()} "`,
      () => `)\n${this.#head()}`,
    ])();
    return `<<${mark}\n${body}\n${random.pick(["E", "E", "E", "E", "E", "E", "\tE", "E ", ""])}\n`;
  }

  /** Builtins and tests that read text again. */
  #evaluator(depth: number): string {
    const random = this.#random;
    const hidden = `'a[$(${this.#head()} x)]'`;
    return random.pick<() => string>([
      () => `eval '${this.#head()} x'`,
      () => `eval "${this.list(Math.max(0, depth - 1))}"`,
      () => `[[ ${hidden} -eq 0 ]]`,
      () => `[[ -v ${hidden} ]]`,
      () => `[ -v ${hidden} ]`,
      () => `test -v ${hidden}`,
      () => `test -R ${hidden}`,
      () => `x=-v; test $x ${hidden}`,
      () => `x=-v; [ "$x" ${hidden} ]`,
      () => `x=-v; y=${hidden}; test "$x" "$y"`,
      () => `x="-v "${hidden}; test $x`,
      () => `let ${hidden}`,
      () => `declare ${hidden}=1`,
      () => `printf -v ${hidden} x`,
      () => `x=-v; printf "$x" ${hidden} b`,
      () => `x=-v; printf $x ${hidden} b`,
      () => `unset ${hidden}`,
      () => `read ${hidden} <<< 1`,
      () => `x=${hidden}; echo $((x))`,
      () => `x=${hidden}; ((x))`,
      () => `x=${hidden}; echo \${foo:x}`,
      () => `x=${hidden}; echo $[x]`,
      () => `x=${hidden}; [[ $x -gt 1 ]]`,
      () => `x='$(${this.#head()} x)'; echo "\${x@P}"`,
      () => `trap '${this.#head()} x' EXIT`,
      () => `jobs -x ${this.#head()} x`,
      () => `mapfile -c 1 -C ${this.#head()} a <<< x`,
      () => `compgen -W '$(${this.#head()} x)'`,
      () => `wait -n -p ${hidden}`,
      () => `source /dev/stdin <<< '${this.#head()} x'`,
      () => `. /dev/stdin <<< '${this.#head()} x'`,
      () => `command eval '${this.#head()} x'`,
      () => `builtin eval '${this.#head()} x'`,
      () => `command ${this.#head()} x`,
      () => `command -- ${this.#head()}`,
      () => `command -p ${this.#head()}`,
      () => `builtin command ${this.#head()} x`,
      () => `exec ${this.#head()} x`,
      () => `exec -a n ${this.#head()}`,
      () => `exec > f${random.below(9)}`,
      () => `(( a[$(${this.#head()} x)] ))`,
      () => `for ((i=$(${this.#head()}); i<1; i++)); do :; done`,
      () => `coproc ${this.#head()} x`,
      () => `time ${this.#head()} x`,
      () => `time -p -- ${this.#head()} x`,
      () => `f() { ${this.#head()} x; }; f`,
      () => `function ${this.#head()} { ${this.#head()}; }; ${this.#head()}`,
      () => `alias q=${this.#head()}; q`,
      () => `shopt -s expand_aliases; alias q='${this.#head()} x'\nq`,
      () => `select i in a; do ${this.#head()}; done <<< 1`,
      () => `getopts a ${hidden}`,
      () => `set -- $(${this.#head()}); "$@"`,
      () => `set -- '${this.#head()}' x; $1`,
      () => `x=${this.#head()}; $x y`,
      () => `x='${this.#head()} z'; $x; "$x"`,
      () => `\${x:=${this.#head()}}; $x`,
      () => `export x=${hidden}; test -n "$x"`,
      () => `history -s '${this.#head()}'`,
      () => `fc -s ${this.#head()}`,
      () => `hash -p ./x ${this.#head()}`,
      () => `enable -n test; test -v ${hidden}`,
    ])();
  }

  #builtin(depth: number): string {
    const random = this.#random;
    return random.pick<() => string>([
      () => `echo ${this.#word(depth)} ${this.#word(0)}`,
      () => `printf '%s\\n' ${this.#word(depth)}`,
      () => `printf ${this.#word(0)} ${this.#word(0)}`,
      () => `test -f ${this.#word(0)}`,
      () => `[ ${this.#word(0)} = ${this.#word(0)} ]`,
      () => `[ ${this.#word(0)} ${this.#word(0)} ${this.#word(0)} ]`,
      () => `cd ${this.#word(0)}`,
      () => this.#moved(depth),
      () => this.#moved(depth),
      () => this.#moved(depth),
      () => "set -euo pipefail",
      () => "set -e",
      () => "wait",
      () => "read -r x <<< y",
      () => "export LANG=C",
      () => "true",
      () => ": ${x:=1}",
      () => `: ${this.#word(depth)}`,
      () => `pwd ${this.#word(0)}`,
      () => `type ${this.#word(0)}`,
      () => `kill -0 ${this.#word(0)}`,
      () => "exit",
    ])();
  }

  /** Folders changed in every way, and a file written afterwards. */
  #moved(depth: number): string {
    const random = this.#random;
    const folder = random.pick([
      "d1",
      "d2/d3",
      "..",
      "l",
      "l/..",
      "d2",
      "nowhere",
      "$x",
      "-",
      "~",
      "",
      "./d1",
      "'d1'",
      "d1/../d2",
      "-P l",
      "-- d1",
    ]);
    const change = random.pick(["cd", "cd", "cd", "pushd", "popd", "command cd", "builtin cd", "! cd", "eval cd"]);
    const write = `${this.#head()} > ${random.pick(["", "", "../", "d3/", "./"])}f${random.below(9)}`;
    const moved = `${change} ${folder}`;
    return random.pick<() => string>([
      () => `${moved} && ${write}`,
      () => `${moved}; ${write}`,
      () => `${moved} || ${write}`,
      () => `${moved} || exit; ${write}`,
      () => `${moved} || return; ${write}`,
      () => `${moved} | true; ${write}`,
      () => `${moved} & ${write}`,
      () => `(${moved}; ${write}); ${this.#head()} > f${random.below(9)}`,
      () => `{ ${moved}; }; ${write}`,
      () => `if ${moved}; then ${write}; else ${this.#head()} > f9; fi; ${this.#head()} > f8`,
      () => `if true; then ${moved}; fi; ${write}`,
      () => `for i in 1 2; do ${write}; ${moved}; done; ${this.#head()} > f8`,
      () => `while ${moved}; do ${write}; break; done; ${this.#head()} > f8`,
      () => `case a in a) ${moved};; esac; ${write}`,
      () => `true && ${moved} && false || ${write}`,
      () => `false || ${moved}; ${write}`,
      () => `${moved} && ${this.#moved(0)}`,
      () => `${moved}; ${this.#moved(0)}`,
      () => `$(${moved}; ${write}); ${this.#head()} > f8`,
      () => `${moved} > f7 && ${write}`,
      () => `{ ${moved}; ${write}; } > f7`,
      () => (depth > 0 ? `${moved}; ${this.list(depth - 1)}` : write),
    ])();
  }

  #compound(depth: number): string {
    const random = this.#random;
    const inner = () => this.list(depth).replace(/[;&\s]*$/, "");
    return random.pick<() => string>([
      () => `(${inner()})`,
      () => `( ${inner()} )`,
      () => `{ ${inner()}; }`,
      () => `if ${inner()}; then ${inner()}; fi`,
      () => `if ${inner()}; then ${inner()}; elif ${inner()}; then ${inner()}; else ${inner()}; fi`,
      () => `for i in ${this.#word(depth)} ${this.#word(0)}; do ${inner()}; done`,
      () => `for i; do ${inner()}; done`,
      () => `while ${inner()}; do ${inner()}; break; done`,
      () => `until true; do ${inner()}; done`,
      () => `case ${this.#word(depth)} in ${this.#word(0)}) ${inner()};; *) ${inner()};; esac`,
      () => `case a in (a|b) ${inner()};& c) ${inner()};; esac`,
      () => `[[ ${this.#word(depth)} == ${this.#word(0)} ]] && ${inner()}`,
      () => `[[ -n ${this.#word(depth)} && ! ( 1 -eq 2 ) ]]`,
      () => `[[ x =~ ^(a|b)$ ]] || ${inner()}`,
      () => `{ ${inner()}; } ${this.#redirection(0)}`,
      () => `(${inner()}) ${this.#redirection(0)}`,
      () => `if [ -n "$x" ]; then ${inner()}; fi ${this.#redirection(0)}`,
      () => `${inner()} &\n${inner()}`,
      () => `((${inner()});${inner()})`,
      () => `((${inner()}) )`,
      () => `((${inner()})|(${inner()}))`,
      () => `(${inner()} # )\n)`,
      () => `{ ${inner()} # }\n}`,
      () => `for in in in; do ${inner()}; done`,
      () => `case in in in) ${inner()};; esac`,
      () => `! time ${inner()}`,
      () => `if(${inner()})then(${inner()})fi`,
      () => `${inner()} | while read -r x; do ${inner()}; done`,
      () => `while ${inner()}; do ${inner()}; break; done < <(${inner()}) > f${random.below(9)}`,
      () => `[[ $x =~ $(${inner()}) ]]`,
      () => `[[ -f <(${inner()}) ]]`,
    ])();
  }
}

const plainWords = [
  "x",
  "y",
  "-v",
  "-n",
  "--",
  "a=b",
  "'a b'",
  '"c d"',
  "1",
  "$x",
  '"$x"',
  "${x}",
  "*.t",
  "~",
  "a\\ b",
  "-",
  "f1",
  "''",
] as const;

/** Whole, but read in a way of their own. */
const oddWords = [
  "'$(c90 x)'",
  '"\\$(c91 x)"',
  "\\$x",
  "$",
  '"$"',
  "a{b,c}d",
  "{1..3}",
  "a#b",
  "#",
  "$'\\x63\\x39'",
  '$"a"',
  "${#x}",
  "${x^^}",
  "${x:1}",
  "${x:-a b}",
  "${x:-'a'}",
  '${x:-"a"}',
  "${x:-\\}}",
  "${x//a/b}",
  "$((1+1))",
  "$((x))",
  "$[1+1]",
  "$@",
  '"$@"',
  "$*",
  "$?",
  "$!",
  "$$",
  "${@}",
  "${*}",
  "[a]",
  "[",
  "]",
  "{}",
  "a=~",
  "-v",
  "a[0]",
  "'a[$(c92 x)]'",
  "?",
  "é",
] as const;

/** What leaves the line broken, or turns its meaning round. */
const breakingWords = [
  "$'",
  "{",
  "}",
  "\\",
  "'",
  '"',
  "`",
  "${",
  "$(",
  "${x",
  "((",
  "))",
  "<<E",
  "!(a)",
  "=(c93)",
  "]]",
  "[[",
  "${x:-}}",
  "${x/#a/'}'}",
  "if",
  "then",
  "do",
  "time",
  "!",
  "in",
] as const;

const tokens = [
  ...[
    ";",
    "&",
    "|",
    "&&",
    "||",
    ";;",
    ";&",
    "|&",
    "\n",
    "(",
    ")",
    "{",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "$(",
    "`",
    "${",
    "$((",
    "<(",
    ">(",
  ],
  ...[
    "<",
    ">",
    ">>",
    "<<",
    "<<-",
    "<<<",
    ">&",
    "<&",
    "&>",
    "<>",
    ">|",
    "2>",
    "{fd}>",
    "'",
    '"',
    "\\",
    "\\\n",
    "$'",
    '$"',
    "#",
    "!",
    "~",
  ],
  ...[
    "if",
    "then",
    "else",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "case",
    "esac",
    "function",
    "select",
    "time",
    "coproc",
    "until",
  ],
  ...[
    "x=1",
    "x=",
    "a[0]=1",
    "-eq",
    "-v",
    "=",
    "==",
    "=~",
    "*",
    "?",
    "[",
    "]",
    ",",
    "..",
    ":",
    "@",
    "%",
    "^",
    "+",
    "-",
    "1",
    "0",
  ],
] as [string, ...string[]];

const odd = [
  "\r",
  "\u00a0",
  "\u2028",
  "\u200b",
  "\u0001",
  "\u001b",
  "\u007f",
  "\u0085",
  "\ufeff",
  "\u202e",
  "\t",
  "\f",
  "\v",
  "\ud800",
] as const;

function mutated(line: string, random: Random): string {
  let text = line;
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(text.length + 1);
    const to = Math.min(text.length, at + 1 + random.below(4));
    const roll = random.below(7);
    if (roll === 0) text = text.slice(0, at) + text.slice(to);
    else if (roll === 1) text = text.slice(0, to) + text.slice(at);
    else if (roll === 2) text = text.slice(0, at) + random.pick(tokens) + text.slice(at);
    else if (roll === 3)
      text = text.slice(0, at) + random.pick(["'", '"', "\\", "`", "$", "(", ")", "{", "}", "\n"]) + text.slice(at);
    else if (roll === 4) text = `${text.slice(0, at)}\\\n${text.slice(at)}`;
    else if (roll === 5)
      text = text.slice(0, at) + random.pick(random.chance(0.5) ? oddWords : breakingWords) + text.slice(at);
    else if (random.chance(0.3)) text = text.slice(0, at) + random.pick(odd) + text.slice(at);
    else text = `${text.slice(0, at)} ${text.slice(at)}`;
  }
  return text;
}
