import { join } from "node:path";
import ts from "@typescript/typescript6";
import { entryPoints, root, unstable } from "../build/entry-points.mjs";
import { code, printed, table } from "./markdown.mjs";
import { resultTypes } from "./result-types.mjs";

/** docs/api.md: every public name with the first sentence of its comment. */
export function apiPage(api) {
  return [
    printed,
    "# Public names",
    `Everything that the package exports. What is not on this page may change at any time. Entry points marked *unstable* may change in any\nminor version before 1.0.`,
    ...api.flatMap(({ name, names }) => [
      `## ${name}`,
      ...(unstable.includes(name) ? ["*Unstable until 1.0.*"] : []),
      table(
        ["name", "kind", "what it is"],
        names.map(({ name: own, kind, summary }) => [code(own), kind, summary]),
      ),
    ]),
  ].join("\n\n");
}

/** What each entry point exports, read from the declarations in dist/: values first, each with its comment and where it is declared. */
export function publicApi() {
  const files = entryPoints.map(({ path }) => join(root, "dist", `${path}.d.ts`));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
  });
  const checker = program.getTypeChecker();
  return entryPoints.map(({ name }, index) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(files[index]));
    const names = checker.getExportsOfModule(module).map((symbol) => describe(symbol, checker));
    return { name, names: names.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)) };
  });
}

const rank = ({ kind }) => (kind === "type" ? 1 : 0);

function describe(exported, checker) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declaration = symbol.declarations[0];
  return {
    name: exported.name,
    kind: kindOf(symbol),
    summary: firstSentence(commentOf(symbol, checker)),
    declaredAt: `${declaration.getSourceFile().fileName}:${declaration.pos}`,
    isResult: resultTypes.has(exported.name),
    membersWithoutComment: membersWithoutComment(declaration, checker),
  };
}

function kindOf({ flags }) {
  if (flags & ts.SymbolFlags.Function) return "function";
  if (flags & ts.SymbolFlags.Class) return "class";
  return flags & ts.SymbolFlags.Value ? "constant" : "type";
}

/** Of an interface, also the members it inherits. What distinguishes the types of a union (`type: "end"`) needs no comment. */
function membersWithoutComment(declaration, checker) {
  if (!ts.isInterfaceDeclaration(declaration)) return [];
  const members = checker.getPropertiesOfType(checker.getTypeAtLocation(declaration));
  return members
    .filter((member) => !member.name.startsWith("__@") && commentOf(member, checker) === "")
    .filter((member) => !checker.getTypeOfSymbolAtLocation(member, declaration).isStringLiteral())
    .map((member) => member.name);
}

function commentOf(symbol, checker) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker));
}

/** Up to the first full stop before a capital letter; a line break is a blank. */
function firstSentence(comment) {
  const text = comment.split("\n\n")[0].replace(/\s+/g, " ").trim();
  return /^.*?[.](?= [A-Z`]|$)/.exec(text)?.[0] ?? text;
}
