import type { Outcome } from "../../src/protocol/internal.ts";
import type { Script } from "../scripted-api/index.ts";
import type { Interop } from "./case.ts";
import type { ClientRun } from "./client.ts";
import type { ScriptedUser } from "./converse.ts";
import type { Sight } from "./facts.ts";
import type { Entry } from "./transcript.ts";

/** One kind of event: how Claude Code is brought into it, and how each side's doings are read. */
export interface Occasion {
  drive(scene: Scene): Drive;
  /** What became of it in Claude Code. */
  seen(run: SeenRun, scene: Scene): Sight;
  /** The same under a host that carries out the engine's outcome as the event's row says. */
  carriedOut(engine: EngineHands, scene: Scene): Promise<Sight>;
}

export interface Scene {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly interop: Interop;
  readonly project: string;
}

/** How to start Claude Code. */
export interface Drive {
  readonly prompt: string;
  readonly script: Script;
  readonly args?: readonly string[];
  readonly user?: ScriptedUser;
  /** An earlier run without hooks, whose session this one continues. */
  readonly before?: { readonly prompt: string; readonly script: Script };
}

/** A run of Claude Code with its transcript, and with hooks' own command lines taken out of its texts. */
export interface SeenRun extends ClientRun {
  readonly transcript: readonly Entry[];
  /** The names by which Claude Code quotes hooks: their command lines, urls and prompts. */
  readonly quoted: readonly string[];
}

/** What a host in a case does with the engine. */
export interface EngineHands {
  /** Fires the scene's event; `more` is laid over the scene's payload. */
  fire(more?: Readonly<Record<string, unknown>>): Promise<Outcome>;
  /** Waits for background hooks and takes what they have for the model. */
  late(): Promise<readonly string[]>;
}
