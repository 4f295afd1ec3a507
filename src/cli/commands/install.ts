import {
  type AskedTransport,
  askedTransports,
  type InstallOutcome,
  type InstallScope,
  installApp,
  scopeFiles,
} from "../../install/internal.ts";
import { defined, Problem } from "../../protocol/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { givenScope, installContext, installTarget, scopeOptions } from "../options/install-options.ts";
import { choice } from "../options/option-values.ts";
import { installJson, installText, printsText } from "../print/install-report.ts";
import { styleFor } from "../print/terminal.ts";
import { approveEntries, revokingRemoved } from "./approve-entries.ts";

export const command: Command = {
  usage: "[FILE] [--scope project|local|user] [--transport auto|http|client|run] [--all-events] [--dry-run] [--json]",
  about: `Adds an app to an agent's settings, with one entry for each event the app handles.

FILE is the hooks file (default: .claude/hooks.ts, .mts, .js or .mjs). It is first loaded in a separate process; nothing is written if
that fails. Only the entries of this app change; everything else in the settings file is kept byte for byte, and hookline uninstall
restores the old bytes. A settings file that Claude Code cannot read, such as one with comments, is not changed; --strip-comments removes
the comments. The state directory keeps the last ten backups. Installing an app approves it, with its imports, for you in this directory,
and revokes the approvals of entries that it removes.
If there is a C compiler, the client that the entries call is compiled into the state directory; in project scope a script starts it.
Exit status: 0 when installed or already installed, 1 on failure, 2 when the app has no handlers.`,
  mostArguments: 1,
  options: {
    ...scopeOptions,
    transport: {
      value: "auto|http|client|run",
      about: "how the agent calls the app (default: auto, which is client, or run where client does not work)",
    },
    "all-events": { about: "write an entry for every event; new handlers then need no reinstall" },
    "shell-form": { about: "write commands as one shell line, for agents that do not support args" },
    "allow-http-decisions": {
      requires: "transport=http",
      about:
        "also write http entries for events that can allow or deny; any process that takes the port can then decide",
    },
    "token-env": {
      excludes: ["literal-token"],
      requires: "transport=http",
      value: "NAME",
      about: "take the token from this environment variable; no file contains it",
    },
    "literal-token": { requires: "transport=http", about: "write the token into the settings file" },
    force: { about: "allow the run transport for MessageDisplay, which starts Node for every few lines of text" },
    "strip-comments": { about: "remove comments and trailing commas from the settings file; uninstall restores them" },
    "dry-run": { about: "print the changes without making them" },
  },
  examples: ["hookline install", "hookline install --dry-run", "hookline install .claude/hooks.mjs --scope user"],
  async run(call, io) {
    const [file] = call.operands;
    const dryRun = call.flag("dry-run");
    const outcome = await runInstall(file, call, io);
    await io.err(printsText(outcome.prints, outcome.hooksFile));
    if (outcome.is === "no-handlers") {
      await io.err(`hookline: ${outcome.hooksFile} has no handlers; nothing was installed.\n`);
      return 2;
    }
    const approval = dryRun ? { approved: 0, refused: [] } : await approveEntries(outcome.places, outcome.planned, io);
    await io.out(
      call.flag("json") ? installJson(outcome, approval, dryRun) : installText(outcome, approval, dryRun, styleFor(io)),
    );
    return 0;
  },
};

async function runInstall(file: string | undefined, call: ParsedCall, io: Io): Promise<InstallOutcome> {
  const transport: AskedTransport = choice(call, "transport", askedTransports) ?? "auto";
  const scope: InstallScope = givenScope(call) ?? "project";
  const tokenEnv = call.text("token-env");
  if (tokenEnv !== undefined && !/^[A-Za-z_]\w*$/.test(tokenEnv)) {
    throw new Problem("cli/usage", `--token-env must be the name of an environment variable, not "${tokenEnv}".`);
  }
  const request = {
    ...installTarget(call, io),
    scope,
    transport,
    allEvents: call.flag("all-events"),
    shellForm: call.flag("shell-form"),
    force: call.flag("force"),
    stripComments: call.flag("strip-comments"),
    dryRun: call.flag("dry-run"),
    ...defined({
      file,
      tokenEnv,
      httpConsent:
        transport === "http"
          ? defined({
              decisions: call.flag("allow-http-decisions") || undefined,
              literalToken: call.flag("literal-token") || undefined,
            })
          : undefined,
    }),
  };
  try {
    const install = () => installApp(request, installContext(io));
    return request.dryRun ? await install() : await revokingRemoved(scopeFiles(scope, request), io, install);
  } catch (error) {
    const prints = error instanceof Problem ? error.about["prints"] : undefined;
    if (typeof prints === "string") await io.err(printsText(prints, file ?? "The hooks file"));
    throw error;
  }
}
