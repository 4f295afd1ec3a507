import type { Random } from "./random.ts";

/** Lines in which a command on files is given names by globs, variables, loops and substitutions. The denied file is `.env`. */
export function fileLine(random: Random): string {
  const steps = Array.from({ length: 1 + random.below(4) }, () => step(random, 2));
  return `${steps.join(random.pick(["; ", " && ", "\n", " ; ", " || "]))}${random.pick(["; ", "\n", " && "])}${use(random)}`;
}

const variables = ["f", "g", "h"] as const;

const names = [
  ".env",
  ".env",
  "README",
  "a.t",
  ".e*",
  ".en?",
  ".[e]nv",
  ".[!x]nv",
  ".[a-f]nv",
  ".[[:alpha:]]nv",
  "*",
  ".*",
  "*.t",
  "d1/../.env",
  "d1/../.e*",
  "*/../.env",
  "l/../../.env",
  "./.env",
  "~/.env",
  "~+/.env",
  '"$PWD/.env"',
  "$PWD/.env",
  '"$HOME"/.env',
  "$HOME/.e*",
  "'.e*'",
  '".env"',
  "\\.env",
  ".e''nv",
  ".e\\*",
  ".e",
  "nv",
  "''",
  "../w/.env",
  "d1",
  "'a.t .env'",
  "'.e* x'",
  "' .env '",
  "$(echo .env)",
  "`echo .env`",
  "${f:-.env}",
  "${g:=.env}",
  "x$$",
  "$((1+1))",
  "k",
  "k*",
  "d*/k",
] as const;

function name(random: Random): string {
  return random.chance(0.6) ? random.pick(names) : reference(random);
}

function reference(random: Random): string {
  const variable = random.pick(variables);
  return random.pick([
    `$${variable}`,
    `"$${variable}"`,
    `\${${variable}}`,
    `"\${${variable}}"`,
    `$${variable}$${random.pick(variables)}`,
    `"$f"nv`,
    `.e"$g"`,
    `d1/../$${variable}`,
    `"$${variable}/.env"`,
    `$${variable}/*`,
    `./$${variable}`,
  ]);
}

function step(random: Random, depth: number): string {
  const inner = () => (depth > 0 ? step(random, depth - 1) : use(random));
  const variable = random.pick(variables);
  return random.pick<() => string>([
    () => `${variable}=${name(random)}`,
    () => `${variable}=${name(random)}`,
    () => `${variable}=${name(random)}`,
    () => `${variable}+=${name(random)}`,
    () => `f=${name(random)} g=${name(random)}`,
    () => `export ${variable}=${name(random)}`,
    () => `read -r ${variable} <<< ${name(random)}`,
    () => `${variable}=${name(random)} ${use(random)}`,
    () => `: \${${variable}:=${name(random)}}`,
    () => `for ${variable} in ${name(random)} ${name(random)}; do ${use(random)}; ${inner()}; done`,
    () => `for ${variable} in ${name(random)}; do ${inner()}; ${use(random)}; done`,
    () => `for i in 1 2; do ${use(random)}; ${inner()}; done`,
    () => `n=; while [ "$n" != xx ]; do n+=x; ${use(random)}; ${inner()}; done`,
    () => `if ${random.pick(["true", "false"])}; then ${inner()}; else ${inner()}; fi`,
    () => `if true; then ${inner()}; fi`,
    () => `case ${random.pick(["a", "b"])} in a) ${inner()};; *) ${inner()};; esac`,
    () => `case a in a) ${inner()};& b) ${inner()};; esac`,
    () => `(${inner()})`,
    () => `{ ${inner()}; }`,
    () => `${inner()} | true`,
    () => `false || ${inner()}`,
    () => `true && ${inner()}`,
    () => `cd ${random.pick(["d1", "..", "d2/d3", ".", "-", "$f", "l"])}`,
    () => `echo ${name(random)} > /dev/null`,
    () => use(random),
  ])();
}

/** A command of the table, in the open or inside another shell. */
function use(random: Random): string {
  const operand = name(random);
  return random.pick<() => string>([
    () => `cat ${operand}`,
    () => `cat ${operand}`,
    () => `cat README ${operand}`,
    () => `wc -l ${operand}`,
    () => `tee ${operand}`,
    () => `cp ${operand} x`,
    () => `cp README ${operand}`,
    () => `nl -- ${operand}`,
    () => `cat < ${operand}`,
    () => `/bin/bash -c 'cat ${operand.replaceAll("'", '"')}'`,
    () => `/bin/bash +x -c 'f=.env; cat ${operand.replaceAll("'", '"')}'`,
  ])();
}
