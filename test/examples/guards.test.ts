import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blockDestructive } from "../../examples/hooks/block-destructive.ts";
import { protectPaths } from "../../examples/hooks/protect-paths.ts";
import { redactSecrets } from "../../examples/hooks/redact-secrets.ts";
import { createApp } from "../../src/sdk/index.ts";
import { type TestClient, testClient } from "../../src/sdk/testing/index.ts";

let dir: string;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "hookline-guards-")));
  mkdirSync(join(dir, "migrations"));
  mkdirSync(join(dir, "src"));
  mkdirSync(join(dir, "conf"));
  writeFileSync(join(dir, "conf/prod.yml"), "");
  writeFileSync(join(dir, "src/key.pem"), "");
  writeFileSync(join(dir, ".env"), "KEY=1");
  symlinkSync("/bin/rm", join(dir, "del"));
  symlinkSync(".env", join(dir, "link"));
  symlinkSync("new.pem", join(dir, "dangling"));
  symlinkSync("migrations", join(dir, "away"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const bash = async (client: TestClient, command: string) =>
  (await client.preTool("Bash", { command }, { cwd: dir })).decision;

describe("block-destructive", () => {
  const lines: readonly (readonly [command: string, expected: string])[] = [
    ["rm -rf build", "deny"],
    ["rm -r -f build", "deny"],
    ["rm --recurs build", "deny"],
    ["rm --r build", "deny"],
    [`'rm' -rf build`, "deny"],
    [`r""m -"rf" build`, "deny"],
    ["r\\m -rf build", "deny"],
    ["RM -rf build", "deny"],
    ["/bin/rm -rf build", "deny"],
    ["./del -rf build", "deny"],
    ["ls && rm -rf build", "deny"],
    ["(rm -rf build)", "deny"],
    ["echo $(rm -rf build)", "deny"],
    ["echo `rm -rf build`", "deny"],
    ["sudo -u root env A=1 rm -rf build", "deny"],
    ["bash -c 'rm -rf build'", "deny"],
    ["find . -name x | xargs rm -rf", "deny"],
    ["find . -delete", "deny"],
    ["find . -exec rm -r {} +", "deny"],
    ["if true; then rm -rf build; fi", "deny"],
    ["cd / && git -C /srv reset --hard", "deny"],
    ["git push origin +main", "deny"],
    ["git clean -xdf", "deny"],
    ["dd if=/dev/zero of=/dev/sda", "deny"],
    ["cat x > /dev/sda", "deny"],
    ["mkfs.ext4 /dev/sda1", "deny"],
    ["eval 'rm -rf build'", "deny"],
    [`cat x > "/dev/sda"`, "deny"],
    ["cat x > //dev/sda", "deny"],
    ["cat x > /tmp/../dev/$DISK", "deny"],
    ["git checkout .", "deny"],
    ["git checkout HEAD -- ./", "deny"],
    ["git checkout --forc main", "deny"],
    ["git switch --discard main", "deny"],
    ["git restore :/", "deny"],
    ["git restore '*'", "deny"],
    ["git restore ':(top)'", "deny"],
    ["git checkout -- '*'", "deny"],
    ["git checkout HEAD -- ../ './**'", "deny"],
    ["git stash drop", "deny"],
    ["git push origin :main", "deny"],
    ["git push origin --delete main", "deny"],
    ["git branch -df main", "deny"],
    ["git branch --delete --force main", "deny"],
    ["git push --prune origin 'refs/heads/*'", "deny"],
    ["git send-pack --force origin", "deny"],
    ["git-push --force", "deny"],
    ["/usr/lib/git-core/git-send-pack --force origin", "deny"],
    ["git --git-dir=/tmp/other push --force", "deny"],
    ["git rm -rf .", "deny"],
    ["git rm -rf '*'", "deny"],
    ["git update-ref -d refs/heads/main", "deny"],
    ["git grep -nO'rm -rf' x", "deny"],
    ["rimraf build", "deny"],
    // A program that may start or run what it is given is asked about, when that destroys.
    ["npx --yes rimraf build", "deny"],
    ["toybox rm -rf build", "deny"],
    ["unshare -n rm -rf build", "deny"],
    ["docker exec db rm -rf /data", "deny"],
    [`perl -e 'system("rm -rf build")'`, "ask"],
    [`python3 -c 'import shutil; shutil.rmtree("build")'`, "ask"],
    [`node -e 'fs.rmSync("build", { recursive: true })'`, "ask"],
    ["ln -s /bin/rm x; ./x -rf build", "ask"],
    ["cp /bin/rm tidy && ./tidy -rf build", "ask"],
    ["dd if=x of=//dev/sda", "ask"],
    ["tee /dev/sda < x", "ask"],
    ["mke2fs /dev/sda1", "ask"],
    ["git checkout *", "ask"],
    // What cannot be read is asked about.
    ["X=rm; $X -rf build", "ask"],
    ["rm $FLAGS build", "ask"],
    ["git $WHAT --hard", "ask"],
    ["git -c alias.x='reset --hard' x", "ask"],
    // So is git when its configuration can force a push, or comes from elsewhere.
    ["git config remote.origin.push +main; git push", "ask"],
    ["git -c Remote.origin.Push=+main push", "ask"],
    ["git config remote.$X.push +main", "ask"],
    ["git config $K +main", "ask"],
    ["git config --global alias.p 'push --force'", "ask"],
    ["git config --rename-section foo alias", "ask"],
    ["git config include.path x", "ask"],
    ["git remote add --mirror=push b x; git push b", "ask"],
    ["git remote add --mirr b x; git push b", "ask"],
    ["GIT_DIR=/tmp/other git p", "ask"],
    ["git --git-dir=/tmp/other p", "ask"],
    ["GIT_EXEC_PATH=/tmp/other git p", "ask"],
    ["GIT_SSH_COMMAND='rm -rf build' git fetch", "ask"],
    ["export GIT_SSH_COMMAND='rm -rf build'; git fetch", "ask"],
    ["GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='push --force' git p", "ask"],
    ["export GIT_CONFIG_GLOBAL=x; git p", "ask"],
    ["echo cm0gLXJm | base64 -d | sh", "ask"],
    ["alias x=rm; x -rf build", "ask"],
    ["rm -rf 'unclosed", "deny"],
    // And what only looks like it is left alone.
    ["rm old.txt", "none"],
    ["echo rm -rf build", "none"],
    ["git commit -m 'rm -rf build' -- src", "none"],
    [`git commit -m "$MESSAGE"`, "none"],
    ["git push --force-with-lease", "none"],
    ["git push -u origin HEAD:refs/heads/x", "none"],
    ["git remote add --mirror=fetch b x", "none"],
    ["git config user.name Ana", "none"],
    ["git config remote.origin.url x", "none"],
    ["git config get remote.origin.push", "none"],
    ["git config --get alias.p", "none"],
    ["git log -- include.path", "none"],
    ["git diff --mi=p", "none"],
    ["git rm -r --cached .", "none"],
    ["GIT_SSH_COMMAND='ssh -i key' git fetch", "none"],
    ["GIT_EDITOR=true git rebase --continue", "none"],
    ["cat include.ts Alias.tsx", "none"],
    ["grep -r send-pack .", "none"],
    ["git checkout -b next", "none"],
    ["git checkout -- src/a.ts", "none"],
    ["git restore .env", "none"],
    ["git branch -d merged", "none"],
    ["gh pr create --body 'It ran rm -rf build.'", "none"],
    [`python3 -c 'print("rm")'`, "none"],
    ["docker run --rm -it image", "none"],
    ["mv src/find.ts src/rm.ts", "none"],
    ["dd if=/dev/zero of=disk.img bs=1M count=1", "none"],
    ["grep -r rm . > /dev/null", "none"],
    ["npm test", "none"],
  ];
  for (const [command, expected] of lines) {
    test(`${expected}: ${command}`, async () => {
      expect(await bash(testClient(createApp().include(blockDestructive())), command)).toBe(expected);
    });
  }

  test("more commands can be named", async () => {
    const client = testClient(createApp().include(blockDestructive({ also: ["terraform destroy", "drop-db"] })));
    expect(await bash(client, "terraform -chdir=x destroy -auto-approve")).toBe("deny");
    expect(await bash(client, "/usr/local/bin/drop-db")).toBe("deny");
    expect(await bash(client, "terraform plan")).toBe("none");
  });

  test("a handler that rewrites a harmless command into this one is caught", async () => {
    const { patchInput } = await import("../../src/sdk/index.ts");
    const app = createApp().include(blockDestructive());
    app.preTool("Bash", () => patchInput({ command: "rm -rf /" }));
    expect(await bash(testClient(app), "ls")).toBe("deny");
  });
});

describe("protect-paths", () => {
  const lines: readonly (readonly [command: string, expected: string])[] = [
    ["echo x > .env", "deny"],
    [`echo x >> .e"nv"`, "deny"],
    ["echo x > ./src/../.env", "deny"],
    ["echo x > .ENV", "deny"],
    ["echo x > link", "deny"],
    ["cp key dangling", "deny"],
    ["touch away/new.sql", "deny"],
    ["true && cp a .env", "deny"],
    ["(mv a .env)", "deny"],
    ["/bin/cp a .env", "deny"],
    ["echo x | sudo tee .env", "deny"],
    ["bash -c 'echo > .env'", "deny"],
    ["sed -i s/a/b/ .env", "deny"],
    ["cd src; echo > ../.env", "deny"],
    ["rm -rf migrations", "deny"],
    ["dd of=.env", "deny"],
    ["ln -sf a .env", "deny"],
    ["install -m 600 a src/server.pem", "deny"],
    ["eval 'echo x > .env'", "deny"],
    ["git mv .env x", "deny"],
    ["git checkout -- .env", "deny"],
    ["perl -pi -e 1 .env", "deny"],
    [`python3 -c 'open(".env","w")'`, "ask"],
    ["F=.env; echo x > $F", "deny"],
    ["f() { echo > $1; }; f .env", "ask"],
    ["cd $D && echo > .env", "ask"],
    // Removing a folder removes its content, a pattern matches what exists, a variable may be anything.
    ["rm -rf conf", "ask"],
    ["mv conf old", "ask"],
    ["chmod -R 777 ./conf/", "ask"],
    ["cd src/.. && rm -r con?", "ask"],
    ["rm conf/*", "deny"],
    ["cd conf && rm *.yml", "deny"],
    ["rm -f .e*", "deny"],
    ["rm -f mig*/0001.sql", "ask"],
    ["rm src/*.pem", "deny"],
    ["sh -c 'rm conf/*'", "deny"],
    ["find . -name '.en*' -delete", "ask"],
    ["rm -rf $PWD", "ask"],
    [`rm "$FILE"`, "ask"],
    // Unknown programs, behind a link or with a protected extension.
    ["ruby -pi -e 1 link", "deny"],
    ["mangle link", "ask"],
    ["openssl genrsa -out server.pem", "ask"],
    ["rm -rf src/old", "none"],
    ["rm *.log", "none"],
    ["mv src/a.ts conf", "none"],
    ["node $SCRIPT", "none"],
    ["ls *", "none"],
    ["cat .env", "none"],
    ["grep KEY .env | head -1", "none"],
    ["ls migrations", "none"],
    // Git commands that leave the files as they are may name them, a commit message too.
    ["git diff migrations", "none"],
    ["git log -- migrations", "none"],
    [`git add migrations && git commit -m "describe migrations"`, "none"],
    ["git grep -n KEY .env", "none"],
    ["git grep -neFOO .env", "none"],
    ["git grep -nOrm KEY .env", "ask"],
    ["git grep --open=rm KEY .env", "ask"],
    ["git grep --op=rm KEY .env", "ask"],
    ["git grep --open-files-in-pager rm .env", "ask"],
    ["git-rm .env", "deny"],
    ["git diff --output=migrations/a", "deny"],
    [`git commit -m "$(mangle migrations)"`, "ask"],
    ["git log migrations | mangle", "ask"],
    ["git stash push migrations", "ask"],
    ["echo x > src/a.ts", "none"],
    ["npm test", "none"],
  ];
  const app = () => createApp().include(protectPaths({ paths: [".env", "migrations", "conf/prod.yml", "**/*.pem"] }));
  for (const [command, expected] of lines) {
    test(`${expected}: ${command}`, async () => {
      expect(await bash(testClient(app()), command)).toBe(expected);
    });
  }

  const files: readonly (readonly [path: string, expected: string])[] = [
    [".env", "deny"],
    ["link", "deny"],
    ["dangling", "deny"],
    ["src/../.env", "deny"],
    ["away/../.env", "deny"],
    [".Env", "deny"],
    ["migrations/2026/new.sql", "deny"],
    ["away/0001.sql", "deny"],
    ["src/deep/key.pem", "deny"],
    ["src/a.ts", "none"],
    [".env.example", "none"],
    ["migrations.md", "none"],
  ];
  for (const [path, expected] of files) {
    test(`${expected}: writing ${path}`, async () => {
      const file_path = join(dir, path);
      const written = await testClient(app()).preTool("Write", { file_path, content: "" }, { cwd: dir });
      const edited = await testClient(app()).preTool(
        "NotebookEdit",
        { notebook_path: file_path, new_source: "" },
        { cwd: dir },
      );
      expect([written.decision, edited.decision]).toEqual([expected, expected]);
    });
  }

  test("protect-paths has no opinion on reads", async () => {
    (await testClient(app()).preTool("Read", { file_path: join(dir, ".env") }, { cwd: dir })).expectNoOpinion();
  });
});

describe("redact-secrets", () => {
  const key = (length: number) => "aB3".repeat(length).slice(0, length);
  const lines: readonly (readonly [printed: string, shown: string])[] = [
    [`AKIA${"A".repeat(16)}`, "[redacted]"],
    [`key=ASIA${"Z".repeat(16)};`, "key=[redacted];"],
    [`"ghp_${key(36)}"`, `"[redacted]"`],
    [`ghs_${key(40)}\n`, "[redacted]\n"],
    [`github_pat_${key(70)}`, "[redacted]"],
    [`glpat-${key(20)}`, "[redacted]"],
    [`sk-ant-${key(40)}`, "[redacted]"],
    [`sk_live_${key(24)}`, "[redacted]"],
    [`xoxb-12345-${key(20)}`, "[redacted]"],
    [`AIza${key(35)}`, "[redacted]"],
    [`npm_${key(36)}`, "[redacted]"],
    [`eyJ${key(20)}.eyJ${key(30)}.${key(20)}`, "[redacted]"],
    [`a -----BEGIN RSA PRIVATE KEY-----\n${key(64)}\n-----END RSA PRIVATE KEY----- b`, "a [redacted] b"],
    [`-----BEGIN PRIVATE KEY-----\n${key(64)}\n(cut)`, "[redacted]"],
    [`postgres://ana:${key(12)}@db:5432/x`, "postgres://ana:[redacted]@db:5432/x"],
    [`PASSWORD=${key(12)}`, "PASSWORD=[redacted]"],
    [`{"api_key": "${key(20)}"}`, `{"api_key": "[redacted]"}`],
    [`client_secret: '${key(16)}'`, "client_secret: '[redacted]'"],
    [`Authorization: Bearer ${key(30)}`, "Authorization: Bearer [redacted]"],
    [`two ghp_${key(36)} and AKIA${"B".repeat(16)}`, "two [redacted] and [redacted]"],
    [`curl -H "authorization: basic ${key(24)}=="`, `curl -H "authorization: basic [redacted]"`],
    // Files of logins, headers, escaped JSON, colours, names with more behind them.
    [`aws_secret_access_key = ${key(40)}`, "aws_secret_access_key = [redacted]"],
    [`SECRET_KEY_BASE=${key(64)}`, "SECRET_KEY_BASE=[redacted]"],
    [`"secretKey":"${key(40)}"`, `"secretKey":"[redacted]"`],
    [`{\\"token\\":\\"${key(20)}\\"}`, `{\\"token\\":\\"[redacted]\\"}`],
    [`x-api-key: ${key(32)}`, "x-api-key: [redacted]"],
    [`{"Authorization":"Bearer ${key(30)}"}`, `{"Authorization":"Bearer [redacted]"}`],
    [`Authorization: token ${key(30)}`, "Authorization: token [redacted]"],
    [`Set-Cookie: sid=${key(40)}; Path=/`, "Set-Cookie: sid=[redacted]; Path=/"],
    [`machine github.com login ana password ${key(20)}`, "machine github.com login ana password [redacted]"],
    [`//registry.npmjs.org/:_authToken=${key(36)}`, "//registry.npmjs.org/:_authToken=[redacted]"],
    [`redis://:${key(12)}@cache:6379`, "redis://:[redacted]@cache:6379"],
    [`postgres://ana:p@ss:${key(4)}@db/x`, "postgres://ana:[redacted]@db/x"],
    [`https://${key(40)}@github.com/a/b`, "https://[redacted]@github.com/a/b"],
    [`AccountKey=${key(86)}==;EndpointSuffix=x`, "AccountKey=[redacted];EndpointSuffix=x"],
    [`\u001b[32mghp_${key(36)}\u001b[0m`, "\u001b[32m[redacted]\u001b[0m"],
    [`\u001b[1;31msk-${key(40)}\u001b[0m`, "\u001b[1;31m[redacted]\u001b[0m"],
    [`_AKIA${"C".repeat(16)}_`, "_[redacted]_"],
    [`SG.${key(22)}.${key(43)}`, "[redacted]"],
    [`hf_${key(34)}`, "[redacted]"],
    [`https://hooks.slack.com/services/T0/B0/${key(24)}`, "https://hooks.slack.com/services/[redacted]"],
    [`eyJ${key(20)}.${key(30)}.`, "[redacted]"],
    [`-----BEGIN PGP PRIVATE KEY BLOCK-----\n${key(64)}\n-----END PGP PRIVATE KEY BLOCK-----`, "[redacted]"],
    ["const token = readToken();", "const token = readToken();"],
    ["token = tokens[0]; max_tokens: 4096", "token = tokens[0]; max_tokens: 4096"],
    ["PASSWORD=${PASSWORD}", "PASSWORD=${PASSWORD}"],
    [`"token": "string"`, `"token": "string"`],
    ["task-management-system-overview-2024", "task-management-system-overview-2024"],
    ["pk_users_organisation_membership", "pk_users_organisation_membership"],
    [`db_password: ${key(12)}`, "db_password: [redacted]"],
    ["token: TokenReader", "token: TokenReader"],
    ["commit 0a1b2c3d4e5f", "commit 0a1b2c3d4e5f"],
    ["see https://example.org/a:b", "see https://example.org/a:b"],
  ];
  for (const [printed, shown] of lines) {
    test(`${printed.split("\n")[0]?.slice(0, 40)} is shown as ${shown.split("\n")[0]}`, async () => {
      const client = testClient(createApp().include(redactSecrets()));
      const response = { stdout: printed, stderr: "", interrupted: false };
      const { output } = await client.postTool("Bash", { command: "env" }, response);
      expect(output).toEqual(printed === shown ? {} : { updatedToolOutput: { ...response, stdout: shown } });
    });
  }

  test("texts anywhere in an output are masked, shapes of your own too, and a failure lets nothing through", async () => {
    const client = testClient(createApp().include(redactSecrets({ patterns: [/\bACME-\d{4}\b/g] })));
    const nested = await client.postTool("mcp__x__y", {}, [{ type: "text", text: "ACME-1234" }, 5, null]);
    expect(nested.output).toEqual({ updatedToolOutput: [{ type: "text", text: "[redacted]" }, 5, null] });
    const broken = Object.assign(/x/, {
      [Symbol.replace]: () => {
        throw new Error("no");
      },
    });
    const failing = testClient(createApp().include(redactSecrets({ patterns: [broken] })));
    (await failing.postTool("Bash", { command: "env" }, { stdout: "x", stderr: "" })).expectBlocked(
      "redact-secrets failed",
    );
  });

  test("a long output costs little", async () => {
    const client = testClient(createApp().include(redactSecrets()));
    const long = `${"token ".repeat(100_000)}${"a:/".repeat(100_000)}${"eyJ".repeat(50_000)}`;
    const { trace } = await client.postTool("Bash", { command: "env" }, { stdout: long, stderr: "" });
    expect(trace[0]?.outcome).not.toBe("timed-out");
  });
});

test("block-destructive and redact-secrets take a single text where a list or an expression is meant", async () => {
  const guard = testClient(createApp().include(blockDestructive({ also: "terraform destroy" as never })));
  expect(await bash(guard, "terraform destroy")).toBe("deny");
  const client = testClient(createApp().include(redactSecrets({ patterns: ["ACME-\\d{8}" as never] })));
  const response = { stdout: "ACME-12345678 ACME-87654321", stderr: "", interrupted: false };
  const { wire } = await client.postTool("Bash", { command: "x" }, response as never, {});
  expect(JSON.stringify(wire)).toContain("[redacted] [redacted]");
});
