/** How the bundle changes the text of sources before esbuild reads them, and of chunks after esbuild has written them. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Script } from "node:vm";

/** The text of a source file for esbuild, with the same lines. */
export function prepareSource(path) {
  return askForBuiltins(importDirectly(readFileSync(path, "utf8"), path));
}

/** Written so that it is not the same as a call inside a function, which may run as text in a thread. */
const getBuiltin = "globalThis.process.getBuiltinModule";

/** Hundreds of modules ask Node for its own modules; a short name for that call saves 7 KB of the package. */
export function withShortBuiltins(script) {
  const start = '"use strict";';
  return script.replaceAll(`${getBuiltin}(`, "node(").replace(start, `${start}const node=process.getBuiltinModule;`);
}

/**
 * Importing a module of Node's makes a name of each of its exports, and some of those load more modules: `node:fs` alone brings all
 * streams and costs a thirtieth of a start. Asked for, it is just handed over. Rewrites `import { a, b as c } from "node:x"` and
 * `import x from "node:x"`.
 */
function askForBuiltins(text) {
  // A text that our code writes, such as a hook of the demo, keeps its imports.
  const [head] = /^(?:#!.*\n|\s+|\/\/.*|\/\*[\s\S]*?\*\/|(?:import|export)\b[^"]*"[^"\n]+";)*/.exec(text);
  return (
    head.replace(/^import (?!type\b)(\{[^}]*\}|[^"{]+) from "(node:[a-z0-9_/]+)";/gm, (_, names, module) => {
      const given = `${getBuiltin}("${module}")`;
      if (!names.startsWith("{")) return `const ${names.replace("* as ", "")} = ${given};`;
      const values = names
        .slice(1, -1)
        .split(",")
        .filter((name) => !/^\s*(?:type\s|$)/.test(name));
      // Loading it takes a tenth of a bare start, and few starts use it.
      if (module === "node:crypto")
        return values.map((name) => `const ${name.trim()} = (...all) => ${given}.${name.trim()}(...all);`).join("");
      return `const {${values.join(",").replace(/\sas\s/g, ": ")}} = ${given};`;
    }) + text.slice(head.length)
  );
}

/**
 * Turns an import from the `internal.ts` of some modules into imports from the files that it lists. esbuild puts all files of such a list
 * into the same chunks: reading permission rules would load the shell parser, and `explain` would load all of `install`.
 */
function importDirectly(text, path) {
  return text.replace(
    /^import \{([^}]*)\} from "([^"]*\/(?:install|permissions))\/internal\.ts";/gm,
    (_, names, folder) => {
      const files = listedFiles(resolve(dirname(path), folder, "internal.ts"));
      return names
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "" && !name.startsWith("type "))
        .map((name) => `import { ${name} } from "${folder}/${files.get(name.split(" as ")[0])}";`)
        .join("");
    },
  );
}

/** The file of each name that an `internal.ts` lists, relative to its folder. */
function listedFiles(list) {
  const files = new Map();
  for (const [, names, file] of readFileSync(list, "utf8").matchAll(/^export \{([^}]*)\} from "\.\/([^"]+)";/gm)) {
    for (const name of names.split(",")) files.set(name.trim(), file);
  }
  return files;
}

/**
 * A chunk as a script; esbuild shares chunks between modules only. It writes imports first and one export last. Our modules do nothing by
 * being loaded and export no variables, so a chunk may take values from another one when it is loaded, and only from those it uses.
 */
export function asScript(text) {
  const [imports] = /^(?:import[^"]*"[^"]+";)*/.exec(text);
  const [exported = "", names = ""] = /export\{([^}]*)\};\s*$/.exec(text) ?? [];
  const requires = [...imports.matchAll(/import([^"]*?)(?:from)?("[^"]+");/g)].map(([, what, path]) => {
    const taken = what.replace(/([\w$]+) as ([\w$]+)/g, "$1:$2");
    return taken === "" ? "" : `const${taken}=require(${path});`;
  });
  const given = names.replace(/([\w$]+) as ([\w$]+)/g, "$2:$1");
  const body = text.slice(imports.length, text.length - exported.length);
  const script = `"use strict";${body.includes("ownUrl") ? ownUrl : ""}${requires.join("")}${requiring(body)}${given && `module.exports={${given}};`}`;
  // Throws if anything is left that only a module may contain.
  new Script(script);
  return script;
}

/** In a module that a host has bundled there is no `__filename`, and no package around it. */
const ownUrl =
  'const ownUrl=typeof __filename=="string"?process.getBuiltinModule("node:url").pathToFileURL(__filename).href:"file:///";';

/** What a script of the package loads on demand is a script of the package too. */
export function requiring(text) {
  return text.replace(/\bimport\(("\.[^"]+")\)/g, "Promise.resolve().then(()=>require($1))");
}
