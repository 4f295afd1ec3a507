import { expect, test } from "vitest";
import type { LayerKind } from "../../protocol/internal.ts";
import { loadConditionCompiler } from "../match/conditions.ts";
import { checkoutEnv, type Layer } from "./layer.ts";
import { mergeLayers, statusLineOf } from "./merge-layers.ts";
import { readLayer } from "./read-layer.ts";
import { takeSnapshot } from "./snapshot.ts";

function layer(kind: LayerKind, settings: object, file = `/${kind}.json`): Layer {
  return readLayer({ kind, file }, Buffer.from(JSON.stringify(settings)));
}

function merged(...layers: Layer[]) {
  return mergeLayers(layers).merged;
}

function warned(...layers: Layer[]) {
  return mergeLayers(layers).warnings.map(({ code, place }) => [code, place]);
}

test("layers without settings give the defaults", () => {
  expect(merged()).toEqual({
    env: {},
    disabled: {},
    http: { urls: [], variables: [], allowPrivate: false },
    onConflict: "last",
    managedOnFailure: "continue",
  });
});

test("managed, command line and user share their env with every hook, in that order of strength", () => {
  const { env } = merged(
    layer("managed", { env: { A: "managed" } }),
    layer("user", { env: { A: "user", B: "user", C: "user" } }),
    layer("project", { env: { C: "project", D: "project" } }),
    layer("local", { env: { D: "local" } }),
    layer("flag", { env: { A: "flag", B: "one" } }),
    layer("flag", { env: { B: "two" } }),
  );
  expect(env).toEqual({ A: "managed", B: "two", C: "user" });
});

test.each([
  "PATH",
  "Path",
  "NODE_OPTIONS",
  "LD_PRELOAD",
  "DYLD_INSERT_LIBRARIES",
  "BASH_ENV",
  "BASH_FUNC_grep%%",
  "HOME",
  "CLAUDE_PROJECT_DIR",
  "npm_config_script_shell",
  "GIT_PAGER",
  "CLASSPATH",
  "ENV",
  "GIT_SSH_COMMAND",
  "HTTPS_PROXY",
  "http_proxy",
  "ANTHROPIC_BASE_URL",
  "HOOKLINE",
  "HOOKLINE_HOME",
])("a checkout cannot set %s for its own hooks, the user can for all hooks", (name) => {
  const settings = { env: { [name]: "x", FINE: "1" } };
  const layers = [layer("project", settings), layer("local", settings)];
  expect(merged(...layers).env).toEqual({});
  expect(checkoutEnv(layers).env).toEqual({ FINE: "1" });
  expect(warned(layer("project", settings))).toEqual([["env-ignored", `/project.json: env.${name}`]]);
  expect(merged(layer("user", settings)).env).toEqual(settings.env);
});

test("disableAllHooks reaches as far as its layer may, and false undoes nothing", () => {
  const managed = layer("managed", { disableAllHooks: true });
  const user = layer("user", { disableAllHooks: true });
  const project = layer("project", { disableAllHooks: true });
  const no = (kind: LayerKind) => layer(kind, { disableAllHooks: false });
  expect(merged(managed, no("user"), no("flag")).disabled).toEqual({ everything: managed });
  expect(merged(no("managed"), user, no("project"), no("flag")).disabled).toEqual({ unmanaged: user });
  expect(merged(no("user"), project, no("local")).disabled).toEqual({ checkout: project });
  expect(merged(no("managed"), no("user"), no("project"), no("local"), no("flag")).disabled).toEqual({});
});

test("keys of managed policy count in managed settings only", () => {
  const keys = { allowManagedHooksOnly: true, strictPluginOnlyCustomization: true, managedHooksOnFailure: "block" };
  const managed = layer("managed", keys);
  expect(merged(managed)).toMatchObject({
    managedOnly: managed,
    pluginsOnly: { layer: managed },
    managedOnFailure: "block",
  });
  for (const kind of ["user", "project", "local", "flag"] as const) {
    expect(merged(layer(kind, keys))).toEqual(merged());
    expect(warned(layer(kind, keys))).toEqual(
      Object.keys(keys).map((key) => ["policy-key-ignored", `/${kind}.json: ${key}`]),
    );
  }
});

test("a managed list is the only one; else user and command line are joined, and a checkout only narrows", () => {
  const lists = (...values: string[]) => ({ allowedHttpHookUrls: values, httpHookAllowedEnvVars: values });
  const user = layer("user", lists("u"));
  const flag = layer("flag", lists("f"));
  const project = layer("project", lists("p"));
  const shape = (...layers: Layer[]) => {
    const { urls, variables } = merged(...layers).http;
    expect(urls).toEqual(variables);
    return urls.map(({ values, layer: { kind } }) => [kind, ...values]);
  };
  expect(shape(user, project, flag)).toEqual([
    ["user", "u", "f"],
    ["project", "p"],
  ]);
  expect(shape(layer("managed", lists("m")), user, project, flag)).toEqual([["managed", "m"]]);
  expect(shape(layer("managed", lists()), user)).toEqual([["managed"]]);
  expect(shape(project)).toEqual([["project", "p"]]);
  expect(shape(layer("user", {}))).toEqual([]);
});

test("private addresses are allowed by managed and user settings, never by a checkout", () => {
  const say = (kind: LayerKind, httpHookAllowPrivate: boolean | string[]) => layer(kind, { httpHookAllowPrivate });
  expect(merged(say("user", true)).http.allowPrivate).toBe(true);
  expect(merged(say("user", ["http://a"]), say("flag", ["http://b"])).http.allowPrivate).toEqual([
    "http://a",
    "http://b",
  ]);
  expect(merged(say("managed", false), say("user", true)).http.allowPrivate).toBe(false);
  expect(merged(say("project", true)).http.allowPrivate).toBe(false);
  expect(warned(say("local", ["http://a"]))).toEqual([["policy-key-ignored", "/local.json: httpHookAllowPrivate"]]);
});

test("of several values of onConflict the strictest counts", () => {
  expect(merged(layer("user", { onConflict: "ask" }), layer("flag", { onConflict: "last" })).onConflict).toBe("ask");
  expect(merged(layer("managed", { onConflict: "deny" }), layer("user", { onConflict: "ask" })).onConflict).toBe(
    "deny",
  );
  expect(merged(layer("project", { onConflict: "deny" })).onConflict).toBe("last");
});

test("the status line is that of managed, command line, local, project, user, in this order", () => {
  const kinds = ["user", "project", "local", "flag", "managed"] as const;
  const layers = kinds.map((kind) => layer(kind, { statusLine: { type: "command", command: kind } }));
  kinds.forEach((kind, index) => {
    expect(statusLineOf(layers.slice(0, index + 1))).toEqual({
      setting: { type: "command", command: kind },
      layer: layers[index],
    });
  });
});

test("only managed settings may allow managed permission rules only", () => {
  const user = layer("user", { permissions: { allow: ["Read"] } });
  const project = layer("project", { permissions: { deny: ["Bash"], allowManagedPermissionRulesOnly: true } });
  expect(warned(user, project)).toEqual([
    ["policy-key-ignored", "/project.json: permissions.allowManagedPermissionRulesOnly"],
  ]);
});

test.each([
  ["a managed file that cannot be read", readLayer({ kind: "managed", file: "/m.json" }, Buffer.from("{")), true],
  ["an invalid managed PreToolUse hook", layer("managed", { hooks: { PreToolUse: [{ hooks: [{}] }] } }), true],
  ["an invalid managed PermissionRequest hook", layer("managed", { hooks: { PermissionRequest: [{}] } }), true],
  ["hooks of a managed file that are not an object", layer("managed", { hooks: [] }), true],
  ["a managed guard with an invalid matcher", managedGuard({ matcher: "Bash(" }), true],
  ["a managed guard with a rule as its matcher", managedGuard({ matcher: "Bash(rm)" }), true],
  ["a managed guard with an invalid condition", managedGuard({}, { if: "Bash((" }), true],
  ["a managed guard that works", managedGuard({ matcher: "Bash" }, { if: "Bash(rm *)" }), false],
  ["an invalid managed Stop hook", layer("managed", { hooks: { Stop: [{ hooks: [{}] }] } }), false],
  ["a user file that cannot be read", readLayer({ kind: "user", file: "/u.json" }, Buffer.from("{")), false],
])("%s damages policy: %s", async (_, broken, damaged) => {
  const { merged, warnings } = takeSnapshot([broken], { compileCondition: await loadConditionCompiler() });
  expect(merged.managedDamage !== undefined).toBe(damaged);
  const places = warnings.flatMap(({ code, place }) => (code === "managed-unreadable" ? [place] : []));
  expect(places).toEqual(damaged ? [broken.file] : []);
});

function managedGuard(group: object, hook: object = {}): Layer {
  const hooks = [{ type: "command", command: "exit 2", ...hook }];
  return layer("managed", { hooks: { PreToolUse: [{ ...group, hooks }] } });
}

test("a layer's odd keys change no prototype and no decision", () => {
  const poison = '{"__proto__": "1", "constructor": "1", "toString": "1", "hasOwnProperty": "1"}';
  const odd = readLayer(
    { kind: "user", file: "/u" },
    Buffer.from(`{"env": ${poison}, "__proto__": {"allowManagedHooksOnly": true}}`),
  );
  const { env, managedOnly } = merged(odd);
  expect(Object.entries(env)).toEqual(Object.entries(JSON.parse(poison)));
  expect(Object.getPrototypeOf(env)).toBeNull();
  expect(managedOnly).toBeUndefined();
  expect(({} as Record<string, unknown>)["allowManagedHooksOnly"]).toBeUndefined();
});
