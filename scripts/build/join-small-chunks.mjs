/**
 * Joins small chunks in one script. esbuild makes a chunk for every set of importers, and many hold a few lines: a third of the files of
 * the package would be smaller than 2 KB.
 */
import { basename, dirname, join } from "node:path";

const maxBytes = 2_000;
const joinedName = "small";

/** The scripts by path, with the small ones of the folder of chunks in `small.cjs`. Each of those runs when it is first required. */
export function joinSmallChunks(scripts) {
  const isSmall = (path, script) => basename(dirname(path)) === "chunks" && script.length < maxBytes;
  const small = new Map([...scripts].filter(([path, script]) => isSmall(path, script)));
  const names = new Set([...small.keys()].map(nameOf));
  const requireJoined = (script) =>
    script.replace(/\brequire\("([^"]*\/)([^"/]+)\.cjs"\)/g, (call, folder, name) =>
      names.has(name) ? `require("${folder}${joinedName}.cjs")("${name}")` : call,
    );
  const others = [...scripts]
    .filter(([path]) => !small.has(path))
    .map(([path, script]) => [path, requireJoined(script)]);
  const parts = [...small].map(([path, script]) => `"${nameOf(path)}":module=>{${requireJoined(script)}}`);
  const [first] = small.keys();
  return new Map([...others, [join(dirname(first), `${joinedName}.cjs`), joined(parts)]]);
}

function joined(parts) {
  return `"use strict";const parts={${parts.join(",")}},loaded={};module.exports=name=>{const known=loaded[name];if(known)return known.exports;const module=loaded[name]={exports:{}};parts[name](module);return module.exports};`;
}

function nameOf(path) {
  return basename(path, ".cjs");
}
