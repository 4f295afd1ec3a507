import {
  commonFields,
  defined,
  didYouMean,
  type EventInputs,
  type EventName,
  eventNames,
  eventRow,
  type Payload,
  showValue,
} from "../../protocol/internal.ts";
import type { AppWarning } from "../answer/accept-answers.ts";
import { eventRule, type MethodOf, type ToolEventName } from "../answer/event-rules.ts";
import { requireApp } from "../app/app-runtime.ts";
import { checkOptions, sdkProblem } from "../app/argument-checks.ts";
import type { WirePayload } from "../app/hook-event.ts";
import type { Observation, ObservationKind } from "../app/observers.ts";
import { openTranscript, type RunEnvironment } from "../app/run-environment.ts";
// From the entry point: the declarations of hookline/sdk and hookline/testing then share one file (scripts/build/declarations.mjs).
import type { ToolInputs } from "../index.ts";
import { withExitGuard } from "../run/guard-exit.ts";
import type { StateAccess } from "../state/state.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import { fixtures } from "./fixtures.ts";
import { immediateTasks, memoryState } from "./memory-tasks.ts";
import { type TestResult, testResult } from "./test-result.ts";

/** Options of `testClient`. */
export interface TestClientOptions {
  /** Shared by all events of the client. Default: in memory. */
  readonly state?: StateAccess;
  /**
   * What `ctx.transcript` is: a `testTranscript()`, a session, or an object of your own. Default: the session of the event's own path,
   * which is empty when there is no such file.
   */
  readonly transcript?: object;
  /** Where `ctx.tasks` puts jobs. Default: they run at once in this process. */
  readonly tasks?: TaskBackend;
  /** The folder of the event, for payloads that are not given one: `ctx.cwd`, `ctx.projectDir`, `ctx.path()` and `ctx.git` follow it. */
  readonly cwd?: string;
  /** `ctx.env`. Default: empty. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The clock of the app, in milliseconds. Default: the system's. */
  readonly now?: () => number;
  /** `ctx.replay`. Default: false. */
  readonly replay?: boolean;
}

/** A method per event, called like the app's without `on`: `client.preTool("Bash", { command })`, `client.stop()`. */
export type TestClient = {
  readonly [Name in EventName as Short<MethodOf<Name>>]: Send<Name>;
} & {
  /** A whole payload of a known event. */
  send<Name extends EventName>(name: Name, changes?: Partial<Payload<Name>>): Promise<TestResult>;
  /** Any payload, as a host might send it. */
  raw(payload: WirePayload): Promise<TestResult>;
  /** From now on `ctx[name]` is this value, whatever the app provides. */
  override(name: string, value: unknown): TestClient;
};

type Short<Method extends string> = Method extends `on${infer Rest}` ? Uncapitalize<Rest> : Method;

type Send<Name extends EventName> = Name extends ToolEventName
  ? ToolSend<Name>
  : Name extends "UserPromptSubmit"
    ? (prompt: string, changes?: Partial<Payload<Name>>) => Promise<TestResult>
    : (changes?: Partial<Payload<Name>>) => Promise<TestResult>;

type ToolSend<Name extends ToolEventName> = <
  Tool extends (keyof ToolInputs & string) | (string & Record<never, never>),
>(
  tool: Tool,
  input: Tool extends keyof ToolInputs ? ToolInputs[Tool] : Readonly<Record<string, unknown>>,
  ...rest: EventInputs[Name] extends { readonly tool_response: unknown }
    ? [response: unknown, changes?: Partial<Payload<Name>>]
    : EventInputs[Name] extends { readonly error: string }
      ? [error: string, changes?: Partial<Payload<Name>>]
      : [changes?: Partial<Payload<Name>>]
) => Promise<TestResult>;

const clientOptions: readonly (keyof TestClientOptions)[] = [
  "state",
  "transcript",
  "tasks",
  "cwd",
  "env",
  "now",
  "replay",
];

/** Calls an app without a process, a file or a clock. */
export function testClient(app: unknown, options: TestClientOptions = {}): TestClient {
  const runtime = requireApp(app, "testClient", testClient);
  checkOptions(options, clientOptions, "testClient");
  const state = options.state ?? memoryState(runtime.options.state);
  const tasks = options.tasks ?? immediateTasks();
  const overridden: Record<string, unknown> = {};
  const shown = new Set<string>();
  const raw = async (payload: WirePayload) => {
    const environment: RunEnvironment = {
      env: options.env ?? {},
      cwd: options.cwd ?? "/home/dev/project",
      signal: new AbortController().signal,
      replay: options.replay ?? false,
      now: options.now ?? Date.now,
      openTranscript: (path) => transcriptFor(options, path),
      ...{ state, tasks, override: overridden, complain: () => undefined },
    };
    const settled = await withExitGuard(() => runtime.dispatch(payload, environment));
    await settled.dispose();
    showWarnings(settled.warnings, shown);
    return testResult(settled);
  };
  const place = defined({ cwd: options.cwd });
  const send = async (name: EventName, changes: object = {}) => {
    eventRow(name); // refuses a name that is not an event
    const payload = fixtures[name]() as unknown as WirePayload;
    checkFields(name, changes, Object.keys(payload));
    return raw({ ...payload, ...place, ...changes });
  };
  const methods = eventNames.map((name) => [shortName(eventRule(name).method), senderOf(name, send)]);
  const client = Object.assign(Object.fromEntries(methods), { send, raw, override }) as TestClient;
  function override(name: string, value: unknown): TestClient {
    const known = runtime.contextNames();
    if (!known.includes(name)) {
      const message = `The context has no member ${showValue(name)} to override.${didYouMean(String(name), known)}`;
      throw sdkProblem("bad-option", message, { name });
    }
    overridden[name] = value;
    return client;
  }
  return client;
}

/** Throws for a misspelled field: its handler would see the recorded value, and the test would check something else. */
function checkFields(event: EventName, changes: object, recorded: readonly string[]): void {
  const known = [...new Set([...Object.keys(eventRow(event).fields), ...Object.keys(commonFields), ...recorded])];
  const unknown = Object.keys(changes).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  const message = `${event} has no field ${showValue(unknown)}.${didYouMean(unknown, known)} raw() sends any payload.`;
  throw sdkProblem("bad-option", message, { name: unknown, of: event });
}

function senderOf(name: EventName, send: (name: EventName, changes?: object) => Promise<TestResult>) {
  if (eventRule(name).tool) {
    return (tool: string, input: unknown, ...rest: unknown[]) => {
      const third = ["tool_response", "error"].find((field) => field in eventRow(name).fields);
      const own = third === undefined ? {} : { [third]: rest.shift() };
      return send(name, { tool_name: tool, tool_input: input, ...own, ...(rest[0] as object | undefined) });
    };
  }
  if (eventRule(name).method === "onPrompt") {
    return (prompt: string, changes: object = {}) => send(name, { prompt, ...changes });
  }
  return (changes: object = {}) => send(name, changes);
}

/** For `hookline test`: a test that checks decisions only would not notice that an answer was dropped. Each is shown once. */
function showWarnings(warnings: readonly AppWarning[], shown: Set<string>): void {
  if (process.env["HOOKLINE_TEST_WARNINGS"] !== "1") return;
  for (const { code, message } of warnings) {
    if (shown.has(message)) continue;
    shown.add(message);
    process.stderr.write(`warning ${code}: ${message}\n`);
  }
}

async function transcriptFor({ transcript }: TestClientOptions, path: string | undefined): Promise<unknown> {
  if (transcript === undefined) return openTranscript(path);
  return "open" in transcript && typeof transcript.open === "function" ? transcript.open() : transcript;
}

function shortName(method: string): string {
  return method.startsWith("on") ? `${method.charAt(2).toLowerCase()}${method.slice(3)}` : method;
}

/** What an app's observers received, in order. It grows while the app is used. */
export interface CapturedEvents {
  /** In order. */
  readonly all: readonly Observation[];
  /** Those of one kind. */
  of(kind: ObservationKind): readonly Observation[];
  /** Forgets them. */
  clear(): void;
}

/** Adds an observer to an app that collects what its handlers did. */
export function captureEvents(app: unknown): CapturedEvents {
  const runtime = requireApp(app, "captureEvents", captureEvents);
  const all: Observation[] = [];
  runtime.observe((observation) => void all.push(observation));
  return {
    all,
    of: (kind) => all.filter((one) => one.kind === kind),
    clear: () => void all.splice(0),
  };
}
