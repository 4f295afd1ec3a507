import {
  type Callback,
  checkNamed,
  checkOf,
  defined,
  eventRow,
  lazy,
  mustBe,
  type OptionCheck,
  type Outcome,
  Problem,
  type RunRecord,
  type Warning,
} from "../protocol/internal.ts";
import { checkCloseOptions, checkEngineOptions, checkReloadOptions } from "./check-engine-options.ts";
import type { CallbackHandler, CallbackOptions, Engine, FireOptions, NoOwnEvents, OwnEvents } from "./engine-type.ts";
import { openEvents } from "./fire/event-intake.ts";
import { listHooks } from "./fire/explain.ts";
import { markAsync } from "./fire/hook-depth.ts";
import type { AnyPayload } from "./fire/payload.ts";
import { openSettings } from "./live/effective-settings.ts";
import { memoryHooks } from "./live/memory-hooks.ts";
import { sessionHooks, stopHooks } from "./live/session-hooks.ts";
import { type StatusLine, statusLine, statusLineCall } from "./live/status-line.ts";
import { type EngineOptions, resolveOptions } from "./options.ts";
import { contextCallback } from "./runners/in-process.ts";
import { eventBudgetMs } from "./runners/run-limits.ts";
import { openServices, sessionState } from "./services.ts";
import type { PermissionRules } from "./settings/compiled-rules.ts";
import { honorsOnce } from "./settings/layer.ts";

/** The permission rules that apply in a directory, without an engine. */
export async function openRules(
  options: EngineOptions,
): Promise<PermissionRules & { readonly warnings: readonly Warning[] }> {
  checkEngineOptions(options, "openRules");
  const resolved = resolveOptions(options);
  const { permissionRules } = await import("./settings/permission-rules.ts");
  const now = (await openSettings(resolved)).current();
  return { ...permissionRules(now, resolved), warnings: now.warnings };
}

/** Opens an engine on the settings that apply in a directory. */
export async function openEngine<Own extends OwnEvents = NoOwnEvents>(
  options: EngineOptions = {},
): Promise<Engine<Own>> {
  checkEngineOptions(options);
  const resolved = resolveOptions(options);
  const warned: Warning[] = [];
  const warn = (warning: Warning): void => void warned.push(warning);
  const sessions = sessionState();
  const live = memoryHooks(resolved, warn);
  const settings = await openSettings(resolved);
  settings.followTrust();
  const allHooks = () => [...[...settings.current().byEvent.values()].flat(), ...live.all()];
  const ran = (record: RunRecord, sessionId: string): Warning | undefined => {
    const { answer, hook } = record;
    if (answer?.failure === undefined && honorsOnce(hook.source)) sessions.ranOnce.add(sessionId, hook.id);
    return live.reportRun(record);
  };
  const services = await openServices(resolved, {
    sessions,
    hooks: () => allHooks().map(({ hook }) => hook),
    warn,
    ran,
  });
  const events = openEvents({
    current: settings.current,
    refreshTrust: settings.refreshTrust,
    live,
    services,
    ran,
    takeWarnings: () => warned.splice(0),
    onLost: (error) => warn({ code: "hook-failed", message: `An event that was not awaited failed: ${String(error)}` }),
  });
  const fireByItself: typeof events.fire = (event, payload, given) =>
    events.fire(event, { ...resolved.common?.(), ...payload }, given);
  const written = new Set<string>();
  const reloadCallbacks = { fire: fireByItself, notify: services.tell, warn, written };
  let line: StatusLine | undefined;
  const stops = lazy(() => stopHooks(live, services.tell));
  let closed = false;

  function isClosed(): Problem {
    return new Problem("engine/closed", "This engine is closed; open another one.");
  }

  function whileOpen<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
    return (...args) => {
      if (closed) throw isClosed();
      return work(...args);
    };
  }

  function fire(event: string, payload: unknown, options?: FireOptions): Promise<Outcome> {
    if (closed) return Promise.reject(isClosed());
    return events.fire(event, payload as AnyPayload, options);
  }

  return {
    get fingerprint() {
      return settings.current().fingerprint;
    },
    get warnings() {
      return settings.current().warnings;
    },
    on: whileOpen((event: string, ...rest: readonly unknown[]) => {
      const all = (typeof rest[0] === "string" ? rest : [undefined, ...rest]) as OnArguments;
      const [matcher, handler, given = {}, ...surplus] = all;
      checkMatcher(rest, event);
      checkHandler(handler, event);
      checkSurplus(surplus, event);
      checkNamed("engine.on", given, callbackChecks, "hook/invalid");
      // An options object may inherit them. Inherited values are checked with the hook.
      const { timeout, onFailure } = given;
      const hook = {
        type: "callback" as const,
        callback: markAsync(contextCallback(handler), handler),
        ...defined({ name: handler.name || undefined, timeout, onFailure }),
      };
      const group = { hooks: [hook], ...defined({ matcher }) };
      return live.add({ kind: "callback", event, group }).remove;
    }),
    fire,
    fireUnknown: fire,
    stream: whileOpen(events.stream),
    notify: whileOpen(events.notify),
    hasHookFor: events.hasHookFor,
    budgetMs(event) {
      const row = eventRow(event, resolved.rows);
      const hooks = allHooks().flatMap((one) => (one.row.name === event ? one.hook : []));
      const env = { ...resolved.env, ...settings.current().merged.env };
      return hooks.length === 0 ? undefined : eventBudgetMs(row, hooks, env);
    },
    explain: whileOpen(events.explain),
    list: () => listHooks(allHooks(), settings.current()),
    rules: whileOpen(async () =>
      (await import("./settings/permission-rules.ts")).permissionRules(settings.current(), resolved),
    ),
    toolEnv: () => ({ ...settings.current().checkoutEnv, ...settings.current().merged.env }),
    reload: whileOpen(async (options: { readonly written?: readonly string[] } = {}) => {
      checkReloadOptions(options);
      for (const hash of options.written ?? []) written.add(hash);
      return settings.reload(reloadCallbacks);
    }),
    watch: whileOpen(() => settings.watch(reloadCallbacks)),
    session: whileOpen((id: string) => sessionHooks(id, live, sessions)),
    stopHooks: {
      add: whileOpen((hook) => stops().add(hook)),
      remove: (id) => stops().remove(id),
      list: () => stops().list(),
    },
    background: {
      list: () => services.background.list(),
      take: (sessionId) => services.background.take(sessionId),
    },
    statusLine: whileOpen((input: unknown) => {
      line ??= statusLine(warn);
      return line.run(input, statusLineCall(settings.current(), resolved));
    }),
    async close(options = {}) {
      checkCloseOptions(options);
      const { waitMs = 0 } = options;
      closed = true;
      settings.close();
      const until = performance.now() + waitMs;
      await Promise.all([line?.close(), events.close(waitMs)]);
      // What was fired last may just have sent hooks into the background; they share the same grace.
      await services.closeBackground(Math.max(0, until - performance.now()));
    },
  };
}

/** Contract: an option that cannot be honored is refused, since a guard may rely on it. */
const callbackChecks: Readonly<Record<keyof CallbackOptions, OptionCheck>> = {
  timeout: mustBe.positiveNumber,
  onFailure: checkOf('"continue" or "block"', (value) => value === "continue" || value === "block"),
};

/** Without this, a wrong matcher in front of a handler would be taken for the handler. */
function checkMatcher([matcher, handler]: readonly unknown[], event: string): void {
  if (typeof handler !== "function" || typeof matcher === "string" || typeof matcher === "function") return;
  const found = matcher === undefined ? "undefined" : Object.prototype.toString.call(matcher);
  const how = 'on(event, "Edit|Write", handler), or on(event, handler) for all';
  throw new Problem("hook/invalid", `The matcher of ${event} must be a string, not ${found}: ${how}.`, {
    about: { event },
  });
}

/** Programs without types forget it, or give something else. */
function checkHandler(handler: unknown, event: string): void {
  if (typeof handler === "function") return;
  const found = handler === undefined ? "but none was given" : `not ${Object.prototype.toString.call(handler)}`;
  const message = `The handler of ${event} must be a function, ${found}: on(event, handler) or on(event, "Matcher", handler).`;
  throw new Problem("hook/invalid", message, { about: { event } });
}

/** An options object in the wrong place would be dropped, and with it the failure policy of a guard. */
function checkSurplus(surplus: readonly unknown[], event: string): void {
  if (surplus.every((one) => one === undefined)) return;
  const how = 'on(event, handler, options) or on(event, "Matcher", handler, options)';
  throw new Problem("hook/invalid", `engine.on got too many arguments for ${event}: ${how}.`, { about: { event } });
}

type OnArguments = readonly [
  matcher: string | undefined,
  handler: AnyHandler,
  options?: CallbackOptions | undefined,
  ...surplus: unknown[],
];

/** A handler as it is called. The fields it reads are checked at compile time. */
type AnyHandler = (payload: AnyPayload, context: Parameters<CallbackHandler>[1]) => ReturnType<Callback>;
