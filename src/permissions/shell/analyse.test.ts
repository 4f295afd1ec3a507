import fc from "fast-check";
import { expect, test } from "vitest";
import { analyseShell } from "./analyse.ts";
import { displayText } from "./command-text.ts";
import { staticValue } from "./shell-part.ts";

const context = { cwd: "/t/proj", home: "/home/u" };
const analyse = (text: string) => analyseShell(text, context);

/** Each part in a few words: what it is and what it says. */
function parts(text: string): string[] {
  return analyse(text).parts.map((part) => {
    if (part.kind === "command") return displayText(part);
    return part.kind === "state" ? `set ${part.text}` : `${part.operator} ${part.target.raw}`;
  });
}

test("parts at every depth", () => {
  expect(parts("a && b || c | d; e & (f) { g; }".replace(" {", "; {"))).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  expect(parts("a $(b `c` <(d)) > e")).toEqual(["c", "d", "b `c` <(d)", "> e", "a $(b `c` <(d))"]);
  expect(
    new Set(
      parts(
        "if a; then b; elif c; then d; else e; fi; for i in $(f); do g; done; while h; do i; done; case $(j) in k) l;; esac",
      ),
    ),
  ).toEqual(new Set(["a", "b", "c", "d", "e", "set i", "f", "g", "h", "i", "j", "l"]));
});

test("words after quote removal; empty ones and those with blanks in quotes", () => {
  expect(parts('git \'push x\' "" a\\ b it"\'"s')).toEqual(['git "push x" "" "a b" it\'s']);
  expect(parts("echo '\"a' 'b\"'")).toEqual(['echo "\\"a" b"']);
  expect(parts("r''m \\x \"y\"'z'")).toEqual(["rm x yz"]);
});

test("a word with expansion, glob, brace or tilde is not known", () => {
  const known = (text: string) => {
    const [part] = analyse(text).parts;
    return part?.kind === "command" ? part.words.map((word) => staticValue(word) !== undefined) : [];
  };
  expect(known('a $x "$x" ${x} *.ts a?b [ab] ~ ~/x x=~ \'a*\' \\* "~" a~ {}')).toEqual([
    true,
    ...Array(9).fill(false),
    true,
    true,
    true,
    true,
    true,
  ]);
});

test("where parts run", () => {
  const places = (text: string) =>
    analyse(text)
      .parts.filter((part) => part.kind === "write")
      .map(({ places }) => (places.unknown ? "?" : places.folders.join(" or ")));
  expect(places("cd sub && x > a")).toEqual(["/t/proj/sub"]);
  expect(places("cd sub; x > a")).toEqual(["/t/proj/sub or /t/proj"]);
  expect(places("cd sub || exit; x > a")).toEqual(["/t/proj/sub"]);
  expect(places("cd sub || return; x > a")).toEqual(["/t/proj/sub or /t/proj"]);
  expect(places("(cd sub; x > a); y > b")).toEqual(["/t/proj/sub or /t/proj", "/t/proj"]);
  expect(places("cd a && cd ../b && x > c")).toEqual(["/t/proj/b"]);
  expect(places("cd && x > a; cd ~/y && x > a")).toEqual(["/home/u", "/home/u/y"]);
  expect(places("cd $x; y > a; cd /z && y > a")).toEqual(["?", "/z"]);
  expect(places("true && cd sub || false; x > a")).toEqual(["/t/proj/sub or /t/proj"]);
  expect(places("x || cd sub; y > a")).toEqual(["?"]);
  expect(places("if x; then cd sub; y > a; fi; z > b")).toEqual(["/t/proj/sub or /t/proj", "?"]);
  expect(places("while x; do y > a; cd sub; done; z > b")).toEqual(["?", "?"]);
  expect(places("cd sub | x; y > a; cd sub & z > b")).toEqual(["/t/proj", "/t/proj"]);
  expect(analyseShell("cd sub && x > a", { ...context, envNames: ["CDPATH"] }).parts.at(-1)?.places.unknown).toBe(true);
});

test("what wrappers start, with the way to it", () => {
  const via = (text: string) =>
    analyse(text).parts.map((part) => [...part.via, part.kind === "command" ? displayText(part) : ""].join(" > "));
  expect(via("sudo -u x timeout 5 npm test")).toEqual([
    "sudo -u x timeout 5 npm test",
    "sudo > timeout 5 npm test",
    "sudo > timeout > npm test",
  ]);
  expect(via("bash -c 'a; b'")).toEqual(['bash -c "a; b"', "bash > a", "bash > b"]);
  expect(via("bash <<'E'\na; b\nE")).toEqual(["bash", "bash > a", "bash > b"]);
  expect(via("bash <<< 'a b'")).toEqual(["bash", "bash > a b"]);
  expect(analyse("echo x | sh").parts.map((part) => part.kind === "command" && part.opaque)).toEqual([
    undefined,
    "the shell runs what it reads",
  ]);
  expect(analyse("bash x.sh").parts.map((part) => part.kind === "command" && part.opaque)).toEqual([undefined]);
  expect(analyse(`${"sudo ".repeat(20)}x`).complete).toBe(false);
  expect(analyse("bash -c 'bash -c \"bash -c x\"'").complete).toBe(true);
});

test("what bash says of a script need not hold for another shell", () => {
  expect(
    ["sh -c '[[ a && b ]]'", "sh -c 'x+=1'", "sh -c 'a {fd}>b'", "zsh -c 'a'", "ksh -c 'a'"].map(
      (text) => analyse(text).complete,
    ),
  ).toEqual(Array(5).fill(false));
  expect(["bash -c '[[ -f a ]]'", "sh -c 'a; b'"].map((text) => analyse(text).complete)).toEqual([true, true]);
});

test("what a quoted here-document holds costs nothing, and hides nothing that is none", () => {
  const body = `${"{[(`\"'\\\n".repeat(2_000)}x\n`;
  expect(analyse(`cat > a <<'E'\n${body}E\nb`)).toMatchObject({ complete: true });
  expect(parts(`cat > a <<'E'\n${body}E\nb`)).toEqual(["> a", "cat", "b"]);
  expect(parts("a \"<<'E'\n$(b)\nE\n\"")).toContain("b");
  expect(parts("# <<'E'\nb\nE")).toEqual(["b", "E"]);
  expect(parts("a <<'E' <<F\nx\nE\n$(b)\nF")).toContain("b");
  expect(analyse("a `cat <<'E'\n` b\nE\n`").complete).toBe(false);
  expect(analyse(`a <<E\n${body}E`).complete).toBe(false);
  expect(parts("a $(cat <<'E'\n) b\nE\n)")).not.toContain("b");
});

test("limits on what is analyzed", () => {
  const code = (text: string) => analyse(text).problems[0]?.code;
  expect(code("a".repeat(65_537))).toBe("too-long");
  expect(code("a;".repeat(4_001))).toBe("too-many-parts");
  expect([code(`sort${" $x".repeat(2_001)}`), code(`sort${" $x".repeat(2_000)}`)]).toEqual([
    "too-many-parts",
    undefined,
  ]);
  expect(code(`${"(".repeat(33)}a${")".repeat(33)}`)).toBe("too-deep");
  expect(code(`${"(a) ".repeat(600)}`)).toBe("too-costly");
  expect(code("a\0b")).toBe("nul");
  expect(code("a\rb")).toBe("odd-character");
  expect(code("git commit -m '⚠️ naïve 日本'")).toBeUndefined();
});

test("whatever the text, the analysis does not throw, and its parts are spans of the text", () => {
  const piece = fc.constantFrom(
    ..."a b $ ( ) { } [ ] ' \" ` \\ ; & | < > \n # ! * ? ~ = $( ${ $(( << <<'E'\n E\n if then fi do done case esac in for x=1 -c bash cd [[ ]]".split(
      " ",
    ),
    " ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      const analysis = analyse(text);
      return analysis.parts.every(({ at: [start, end] }) => 0 <= start && start <= end && end <= text.length);
    }),
    { numRuns: 600 },
  );
});

test("quoted in any way, words stay what they are", () => {
  const word = fc.string({ unit: fc.constantFrom(..."ab $`\"'\\*?[]{}()<>;&|!#~=,-/"), minLength: 1, maxLength: 8 });
  const quoted = fc.tuple(word, fc.nat(2)).map(([value, way]) => ({ value, text: quotings[way]?.(value) ?? "" }));
  fc.assert(
    fc.property(fc.array(quoted, { minLength: 1, maxLength: 4 }), (words) => {
      const { complete, parts: found } = analyse(`cmd ${words.map(({ text }) => text).join(" ")}`);
      const [part] = found;
      const values = part?.kind === "command" ? part.words.slice(1).map(staticValue) : [];
      return complete && found.length === 1 && values.every((value, index) => value === words[index]?.value);
    }),
    { numRuns: 400 },
  );
});

const quotings = [
  (value: string) => `'${value.replaceAll("'", "'\\''")}'`,
  (value: string) => `"${value.replace(/["\\$`]/g, "\\$&")}"`,
  (value: string) => value.replace(/[^\w]/g, "\\$&"),
];

test("a script of sed with a variable in it writes a file whose name is not known, and one that only edits writes none", () => {
  const writes = (text: string) =>
    analyse(text).parts.some((part) => part.kind === "write" && part.target.pieces.length > 1);
  expect([writes("sed $x's/x/y/w f2' f"), writes('sed "${n}w f2" f')]).toEqual([true, true]);
  expect([writes('sed "s/$a/$b/g" f'), writes('sed -n "${n}p" f'), writes('sed "s|$a|w $b|" f')]).not.toContain(true);
});

test("the file that sed writes ends where its line ends: a blank there belongs to its name", () => {
  const written = (line: string) =>
    analyseShell(line, { cwd: "/t", home: "/h" }).parts.flatMap((part) =>
      part.kind === "write" ? part.target.pieces : [],
    );
  expect(written("sed 's/x/y/w f8'\\ ")).toEqual(["f8 "]);
  expect(written("sed 's/x/y/gw \t f 8\np'")).toEqual(["f 8"]);
  expect(written("sed -e 'w  out' -e '$!W last '")).toEqual(["out", "last "]);
});
