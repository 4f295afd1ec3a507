import { dirname, join, resolve } from "node:path";
import { type FileToSearch, quotedTexts, readEntry, type ScriptWalk } from "./gather-files.ts";
import { entriesOf } from "./word-values.ts";

/** Covers what a Python program loads, and reports what cannot be covered. */
export function searchPython({ text, place, path }: FileToSearch, { collector, folders }: ScriptWalk): void {
  const { modules, texts, computed } = pythonLoads(text);
  for (const module of modules) {
    const files = folders.flatMap((folder) => pythonModuleFiles(module, folder, dirname(place)));
    const found = files.filter((file) => collector.cover(file, "python") === "file");
    const [name = ""] = module.split(".");
    const isStandard = name.startsWith("_") || standardModules.has(name);
    if (name !== "" && !isStandard && found.length === 0)
      collector.reportNotCovered(`package ${name} (Python)`, "a package; its own files are not covered");
  }
  // A file next to the program shadows a standard module of that name in every import.
  for (const file of modules.length > 0 ? standardModulesIn(folders) : []) collector.cover(file, "python");
  collector.coverTexts(texts, folders);
  for (const form of computed)
    collector.reportNotCovered(`${path}: ${form}`, "what it loads, or from where, is computed at run time");
  if (startsPrograms.test(text))
    collector.reportNotCovered(path, "it starts programs; only files that it names as plain text are covered");
}

/** Python calls that start a program, including renamed imports. */
const startsPrograms =
  /\bsubprocess\b|\b(?:create_)?subprocess_(?:exec|shell)\b|\bpty\.spawn\b|\bos\.(?:system|popen|exec|spawn|posix_spawn)|\bfrom\s{1,20}os\s{1,20}import\s[^\n]{0,200}\b(?:system|popen|exec|spawn|posix_spawn)|\bimport\s{1,20}os\s{1,20}as\b/;

/** What a program loads, according to its text. */
function pythonLoads(source: string) {
  const joined = source.replace(/\\\n/g, " ").replace(/\(([^()]*)\)/g, (group) => group.replaceAll("\n", " "));
  const modules: string[] = [];
  for (const [, list = ""] of joined.matchAll(/(?:^|[;:\n])\s*import\s+([^\n;#]+)/g)) modules.push(...namesIn(list));
  for (const [, from = "", list = ""] of joined.matchAll(/(?:^|[;:\n])\s*from\s+(\.*[\w.]*)\s+import\s+([^\n;#]+)/g)) {
    modules.push(from, ...namesIn(list).map((name) => (from.endsWith(".") ? from + name : `${from}.${name}`)));
  }
  const computed = [
    ...joined.matchAll(
      /\b(?:__import__|import_module|run_module|run_path|exec|execfile|spec_from_file_location|SourceFileLoader|load_source|addsitedir)\s*\([^)\n]{0,60}|(?<![.\w])compile\s*\([^)\n]{0,60}|\b(?:import_module|run_path|run_module)\s{1,20}as\s{1,20}\w{1,60}|\bsys\.path\b[^\n]{0,60}/g,
    ),
  ];
  return {
    /** Modules with their dots; leading dots are relative to the file. */
    modules: [...new Set(modules)].filter((name) => name !== ""),
    texts: quotedTexts(joined),
    /** Loads whose name or search path is computed at run time, as written. */
    computed: [...new Set(computed.map(([whole]) => whole.trim()))],
  };
}

function namesIn(list: string): readonly string[] {
  return list
    .replaceAll(/[()]/g, " ")
    .split(",")
    .map((one) => one.trim().split(/\s+/)[0] ?? "")
    .filter((name) => /^[\w.]+$/.test(name));
}

/** The files that a module may be, in the order in which they are searched. */
export function pythonModuleFiles(module: string, folder: string, own: string): readonly string[] {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const start = dots === 0 ? folder : resolve(own, "../".repeat(dots - 1));
  const parts = module
    .slice(dots)
    .split(".")
    .filter((part) => part !== "");
  const files: string[] = [];
  let at = start;
  if (parts.length === 0) return [join(start, "__init__.py")];
  for (const part of parts) {
    files.push(...formsOf(part, at), ...formsOf("__init__", join(at, part)));
    at = join(at, part);
  }
  return [...files, join(at, "__main__.py")];
}

/** A module as source, as a library, as bytecode, and as cached bytecode that Python loads without checking the source. */
function formsOf(name: string, folder: string): readonly string[] {
  const others = entriesOf(folder)
    .map((entry) => entry.name)
    .filter((file) => file === `${name}.pyc` || (file.startsWith(`${name}.`) && /\.(?:so|pyd)$/.test(file)));
  const kept = entriesOf(join(folder, "__pycache__"))
    .map((entry) => entry.name)
    .filter((file) => file.startsWith(`${name}.`) && file.endsWith(".pyc"))
    .map((file) => join(folder, "__pycache__", file));
  return [join(folder, `${name}.py`), ...others.map((file) => join(folder, file)), ...kept.filter(isUncheckedBytecode)];
}

/** Whether bytecode is marked as unchecked, so that Python does not compare it with its source. Python does not write such files by default. */
function isUncheckedBytecode(place: string): boolean {
  const entry = readEntry(place);
  return typeof entry !== "string" && "bytes" in entry && entry.bytes.length >= 8 && entry.bytes[4] === 1;
}

/** Files that Python would load instead of a module of its standard library. */
function standardModulesIn(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    entriesOf(folder)
      .map((entry) => entry.name.split(".")[0] ?? "")
      .filter((name) => standardModules.has(name))
      .flatMap((name) => pythonModuleFiles(name, folder, folder)),
  );
}

/** The standard library of Python 3, including older versions. */
const standardModules = new Set(
  `abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile
  calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib
  contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email
  encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt
  getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress
  itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib
  msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb
  pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr
  pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors
  shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl
  stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile
  termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types
  typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc
  zipapp zipfile zipimport zlib zoneinfo annotationlib compression sitecustomize usercustomize`.split(/\s+/),
);
