import {
  type AskedTransport,
  askedTransports,
  type InstallOutcome,
  installApp,
  type Scope,
} from "../../install/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import { approve } from "../approve-entries.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { oneOf } from "../option-values.ts";
import { installerFor, scopeOf, scopeOptions, standpointOf } from "../options/install-options.ts";
import { installJson, installText, printsText } from "../print/install-report.ts";
import { styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "[FILE] [--scope project|local|user] [--transport auto|http|client|run] [--all-events] [--dry-run] [--json]",
  about: `Puts an app into an agent's settings: one entry per event it has handlers for.

FILE is the hooks file (default: .claude/hooks.ts, .mts, .js or .mjs). It is loaded in a process of its own first, and nothing is written
unless that works. Edits touch our own entries alone; order and everybody else's bytes stay, and hookline uninstall brings the old bytes
back. Nothing is written into a file that Claude Code would drop, such as one with comments; --strip-comments removes them. The old file is kept among the last ten backups in the state folder. What is installed is approved for you in this
folder, its imports included: running this is the approval. Where there is a C compiler, the client that entries call is compiled
into the state folder; in project scope a script starts it.

The exit status is 0 when it is installed, or was already so; 2 when the app has no handlers; 1 when it cannot be done.`,
  mostArguments: 1,
  options: {
    ...scopeOptions,
    transport: {
      type: "string",
      value: "auto|http|client|run",
      about: "how the agent reaches the app (default: auto, which is client, or run where that cannot work)",
    },
    "all-events": { type: "boolean", about: "an entry for every event, so that new handlers need no reinstall" },
    "shell-form": { type: "boolean", about: "commands as one line for a shell, for agents that do not know args" },
    "allow-http-decisions": {
      type: "boolean",
      about:
        "with --transport http: entries for events whose answer decides, although any process that takes the port can answer them",
    },
    "token-env": {
      type: "string",
      excludes: ["literal-token"],
      value: "NAME",
      about: "with --transport http: entries take the token from this variable; no file holds it",
    },
    "literal-token": { type: "boolean", about: "with --transport http: write the token into the settings file" },
    force: {
      type: "boolean",
      about: "allow the run transport for MessageDisplay: a Node start for every few lines of text",
    },
    "strip-comments": {
      type: "boolean",
      about:
        "remove comments and trailing commas from the settings file, which Claude Code cannot read; uninstall restores them",
    },
    "dry-run": { type: "boolean", about: "print what would change, write nothing" },
  },
  examples: ["hookline install", "hookline install --dry-run", "hookline install .claude/hooks.mjs --scope user"],
  async run(call, io) {
    const [file] = call.words;
    const dryRun = call.flag("dry-run");
    const outcome = await installed(file, call, io);
    await io.err(printsText(outcome.prints, outcome.hooksFile));
    if (outcome.is === "no-handlers") {
      await io.err(
        `hookline: ${outcome.hooksFile} has no handlers, so there is nothing to install. Nothing was written.\n`,
      );
      return 2;
    }
    const approval = dryRun ? { approved: 0, refused: [] } : await approve(outcome.places, outcome.planned, io);
    await io.out(
      call.flag("json") ? installJson(outcome, approval, dryRun) : installText(outcome, approval, dryRun, styleFor(io)),
    );
    return 0;
  },
};

async function installed(file: string | undefined, call: Call, io: Io): Promise<InstallOutcome> {
  const transport: AskedTransport = oneOf("transport", call.text("transport"), askedTransports) ?? "auto";
  const scope: Scope = scopeOf(call) ?? "project";
  const tokenEnv = call.text("token-env");
  if (tokenEnv !== undefined && !/^[A-Za-z_]\w*$/.test(tokenEnv)) {
    throw new Problem("cli/usage", `--token-env takes the name of a variable, not "${tokenEnv}".`);
  }
  const decisions = call.flag("allow-http-decisions");
  const literalToken = call.flag("literal-token");
  if (transport !== "http" && (decisions || literalToken || tokenEnv !== undefined)) {
    const names = "--allow-http-decisions, --token-env and --literal-token";
    throw new Problem("cli/usage", `${names} require --transport http.`);
  }
  const request = {
    ...standpointOf(call, io),
    scope,
    transport,
    allEvents: call.flag("all-events"),
    shellForm: call.flag("shell-form"),
    force: call.flag("force"),
    stripComments: call.flag("strip-comments"),
    dryRun: call.flag("dry-run"),
    ...(file === undefined ? {} : { file }),
    ...(tokenEnv === undefined ? {} : { tokenEnv }),
    ...(transport === "http"
      ? {
          httpConsent: {
            ...(decisions ? { decisions: true as const } : {}),
            ...(literalToken ? { literalToken: true as const } : {}),
          },
        }
      : {}),
  };
  try {
    return await installApp(request, installerFor(io));
  } catch (error) {
    const prints = error instanceof Problem ? error.about["prints"] : undefined;
    if (typeof prints === "string") await io.err(printsText(prints, file ?? "The hooks file"));
    throw error;
  }
}
