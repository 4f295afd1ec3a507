import { describe, expect, test } from "vitest";
import { judge } from "./judge/judge.ts";
import { compileRules } from "./policy.ts";
import type { RuleLayer } from "./rule-layer.ts";

const context = { cwd: "/t/proj", home: "/home/u", projectRoot: "/t/proj" };

function decide(command: string, rules: Pick<RuleLayer, "allow" | "ask" | "deny">) {
  return judge({ tool: "Bash", input: { command } }, compileRules([{ scope: "user", ...rules }]), context).decision;
}

const notRm = { allow: ["Bash"], deny: ["Bash(rm *)"] };
const decisionsOf = (commands: readonly string[], rules: Pick<RuleLayer, "allow" | "deny">) =>
  Object.fromEntries(commands.map((command) => [command, decide(command, rules)]));
const all = (commands: readonly string[], decision: string) =>
  Object.fromEntries(commands.map((command) => [command, decision]));

describe("options of shells that begin with a plus", () => {
  const spellings = [
    'bash +x -c "rm x"',
    "sh +e -c 'rm x'",
    "dash +x -c 'rm x'",
    "zsh +x -c 'rm x'",
    "bash -x +e -c 'rm x'",
    "bash -c +x 'rm x'",
    "bash +o posix -c 'rm x'",
    "bash +O extglob -c 'rm x'",
    "bash +B -c 'rm x'",
    "bash --posix +H -c 'rm x'",
    "bash +xc 'rm x'",
    "bash +c 'rm x'",
    "bash +u + +c 'rm x'",
    "timeout 5 bash +x -c 'rm x'",
    "env bash +x -c 'rm x'",
    "sudo bash +x -c 'rm x'",
    "ash +x -c 'rm x'",
  ];
  test("a deny rule covers what the shell runs", () => {
    expect(decisionsOf(spellings, notRm)).toEqual(all(spellings, "deny"));
  });
  test("they do not take a script without the rule's command away from an allow rule", () => {
    const commands = ["bash +x -c 'npm test'", "sh +e scripts/run.sh", "bash -e +x -c 'npm test'"];
    expect(decisionsOf(commands, notRm)).toEqual(all(commands, "allow"));
  });
});

const wrapped = [
  "script -qc 'rm x'",
  "script -q log rm x",
  "strace rm x",
  "strace -f -o out rm x",
  "ltrace rm x",
  "unshare rm x",
  "unshare -m rm x",
  "nsenter rm x",
  "nsenter -t 1 -m rm x",
  "runuser -u x -- rm x",
  "runuser -c 'rm x' u",
  "systemd-run rm x",
  "systemd-run --user --new-option y rm x",
  "ip netns exec a rm x",
  "toybox rm x",
  "fish -c 'rm x'",
  "chronic rm x",
  "unbuffer rm x",
  "caffeinate -i rm x",
  "npx rm x",
  "mamba run -n e rm x",
  "micromamba run -n e rm x",
  "pyenv exec rm x",
  "bun exec 'rm x'",
  "npx -c 'rm x'",
  "npm exec -- rm x",
  "npm --prefix a exec rm x",
  "pnpm exec rm x",
  "docker run a rm x",
  "docker run --rm -v a:b --new-option c image rm x",
  "docker exec -it web rm x",
  "docker compose exec db rm x",
  "kubectl exec pod -c web -- rm x",
  "git bisect run rm x",
  "rg --pre rm x",
  "rg --pre=rm x",
  "tar --checkpoint-action=exec='rm x' -cf a b",
  "tar -cf a --to-command='rm x' b",
  "tar -I 'rm x' -cf a b",
  "rsync -e 'rm x' a b",
  "rsync -ave 'rm x' a b",
  "man -P 'rm x' ls",
  "man --pager='rm x' ls",
  "sed '1e rm x' f",
  "sed -n -e '/x/e rm x' f",
  "sed $x'1e rm x' f",
  'sed "${n}e rm x" f',
  "at now <<< 'rm x'",
  "crontab - <<< '* * * * * rm x'",
  "crontab <<E\n* * * * * rm x\nE",
  "split --filter='rm x' f",
  "sort --compress-program='rm x' f",
  "scp -oProxyCommand='rm x' a h:b",
  "vim -c '!rm x' f",
  "concurrently 'rm x' 'npm start'",
  "pkexec rm x",
  "perf stat rm x",
  "entr rm x",
  "flatpak-spawn --host rm x",
  "systemd-nspawn -D / rm x",
  "arch -x86_64 rm x",
  "sandbox-exec -p profile rm x",
  "rustup run stable rm x",
  "mosh host -- rm x",
  "vagrant ssh -c 'rm x'",
  "capsh -- -c 'rm x'",
  "hg --config alias.z='!rm x' z",
  "svn diff --diff-cmd rm a",
  "npm --script-shell=rm test",
  "tcpdump -z rm -w f",
  "wget --use-askpass=rm u",
  "zip -T -TT 'rm x' a.zip b",
  "zip -qTTrm a.zip b",
  "gcc -wrapper rm,x a.c",
  "gcc-13 -wrapper rm,x a.c",
  "go test -exec 'rm x' ./...",
  "go build -toolexec='rm x' .",
  "bazel run --run_under='rm x' //a",
  "make SHELL='rm x'",
  "make --eval='$(shell rm x)'",
  "cargo --config 'build.rustc-wrapper=\"rm\"' build",
  "just --command rm x",
  "just -q -c rm x",
  "cmake -E env rm x",
  "ansible all -a 'rm x'",
  "ansible all -m shell --args='rm x'",
  "pm2 start 'rm x'",
  "pm2 start --name 'my api' 'rm x'",
  "pm2 start rm -- x",
  "mosh host rm x",
  "strace -o '|rm x' ls",
  "tmux send-keys -t a 'rm x' Enter",
  "ccache rm x",
  "heroku run 'rm x'",
  "gtimeout 5 rm x",
  "gfind . -exec rm x ';'",
  "awk 'BEGIN { system(\"rm x\") }'",
  "awk '{ print $1 | \"rm x\" }' f",
  "awk 'BEGIN { \"rm x\" | getline }'",
  "psql -c '\\! rm x'",
  "mysql -e 'system rm x'",
  "sqlite3 a.db '.shell rm x'",
  "gdb --init-eval-command='shell rm x'",
  "lldb -o 'platform shell rm x'",
  "tmux ls \\; run 'rm x'",
  "tmux ls \\; run rm x",
  "tmux display-popup -h 50% -E 'cd a; rm x'",
  "tmux if-shell true 'run \"rm x\"'",
  "tmux pipe-pane -o 'rm x'",
  "tmux bind x run 'rm x'",
  "npm config set script-shell rm",
  "pnpm config set script-shell=rm",
  "fzf --bind 'x:execute(rm x)'",
  "make CC='rm x'",
  "make -j4 HOSTCC=rm all",
  "make run CMD='rm x'",
  "autossh h rm x",
  "autossh -M 0 h 'rm x'",
  "pdsh -w h rm x",
  "pdsh -w h 'rm x'",
  "emacs --batch --eval '(shell-command \"rm x\")'",
  "pwsh -c 'rm x'",
  "pwsh -NoProfile -Command rm x",
  "cmd /c rm x",
  "cmd.exe /c 'rm x'",
  "nu -c 'rm x'",
  "asciinema rec -c 'rm x'",
  "asciinema rec --command='rm x' f",
  "fly ssh console -C 'rm x'",
  "podman unshare rm x",
  "apt-get -o Dpkg::Pre-Invoke::='rm x' install a",
  "rpm -E '%(rm x)'",
  "lftp -c 'open h; !rm x'",
  "lftp h <<< '!rm x'",
  "sshfs -o reconnect,ssh_command='rm x' h: d",
  "rsync -M--rsh=rm a b",
  "gksu rm x",
  "dzdo -u root rm x",
  "pfexec rm x",
  "gh alias set x '!rm x'",
  "gh alias set --shell x 'rm x'",
  "watchman-make -p a --run 'rm x'",
  "nx exec -- rm x",
  "yarn workspace web exec rm x",
  "tox exec -e py312 -- rm x",
  "gh codespace ssh -c a -- rm x",
  "npx tool -- rm x",
];

test("a deny rule covers the command inside wrappers, launchers and options that run one", () => {
  expect(decisionsOf(wrapped, notRm)).toEqual(all(wrapped, "deny"));
});

test("a deny rule covers what a program in no table seems to start: behind `exec`, `--` and options named for it", () => {
  const commands = [
    "tool exec rm x",
    "tool exec rm",
    "tool exec container rm x",
    "tool exec $container rm x",
    "tool exec container sudo rm x",
    "tool env -- rm x",
    "tool run -- rm x",
    "tool --exec rm x",
    "tool --run='rm x'",
    "tool --post-command='cd a; rm x'",
    "bat --pager='rm x' f",
  ];
  expect(decisionsOf(commands, notRm)).toEqual(all(commands, "deny"));
  const others = [
    'npm test -- "$file"',
    "npm test -- 'removes the list'",
    "npm run tool -- set name",
    "npm run tool -- watch src",
    "npm test -- rm",
    "npx jest -- rm",
    "cargo test -- my_test --nocapture",
    "cargo run -- rm x",
    "dotnet run -- rm x",
    "pytest -- tests/rm",
    "tox -e py312 -- -k rm",
    "node app.js exec rm",
    "tool install --dry-run rm",
    "vitest --run rm",
    "aws ecs execute-command --interactive --command /bin/bash",
    "tool --no-pager rm",
    "tool --editor vim",
    "grep -- rm f",
    "echo exec rm x",
    "gh pr create --title 'rm x'",
  ];
  expect(decisionsOf(others, notRm)).toEqual(all(others, "allow"));
  for (const command of [...commands.slice(0, 4), ...others])
    expect([command, decide(command, { allow: [`Bash(${command.split(" ")[0]} *)`] })]).toEqual([command, "allow"]);
});

test("a rule for a program does not cover a command in its options or in text of its own language", () => {
  const commands = [
    "zip -TT ./x a.zip b",
    "gcc -wrapper ./x,y a.c",
    "go vet -vettool=./x",
    "make SHELL=./x",
    "make -f - all",
    "just -c ./x",
    "ansible all -a ./x",
    "pm2 start './x y'",
    "awk 'BEGIN { system(\"./x\") }'",
    "psql -c \"copy t from program './x'\"",
    "vim -c 'silent !./x' f",
    "vim -c '%!x' f",
    "ed f <<< '!x'",
    "gdb -ex 'python y'",
  ];
  for (const command of commands)
    expect([command, decide(command, { allow: [`Bash(${command.split(" ")[0]} *)`] })]).toEqual([command, "ask"]);
});

test("a rule for a program covers its everyday options and texts", () => {
  const commands = [
    "zip -rT a.zip dir",
    "gcc -Wall -o a a.c",
    "go test ./... -run TestX",
    "make -j4 SHELL=/bin/bash all",
    "just build",
    "cmake -S . -B build",
    "cmake --build build -j",
    "ansible all -m ping",
    "pm2 start app.js --name 'my api'",
    "awk -F'|' '/a|b/ { print $1 \" | \" $2 }' f",
    "awk '$1 || $2 { print \"|\" }' f",
    "awk '/print|x/ { n++ }' f",
    "psql -c 'select 1'",
    "sqlite3 a.db .show",
    "vim -c 'qa!' f",
    "gdb -ex 'break main' -ex run ./a",
    "tmux send-keys -t a C-c",
    "wget -e robots=off https://a.b",
    "tmux set -g status-right '#(date) %H:%M'",
    "tmux bind r source-file ~/.tmux.conf",
    "npm config set script-shell /bin/bash",
    "npm config get script-shell",
    "fzf --bind 'ctrl-a:select-all' --query 'a b'",
    "make CC='ccache gcc' PLATFORM=rm test ARGS='rm x'",
    "autossh -M 0 -f -N -L 8080:localhost:80 host",
    "emacs --batch --eval '(message \"hi\")'",
    "pwsh -NoProfile -File build.ps1",
    "cmd.exe /c npm test",
    "asciinema rec -t 'rm demo' -c 'npm test' demo.cast",
    "fly ssh console -C 'ls /app'",
    "apt-get -o Dpkg::Options::=--force-confold install -y rm",
    "rpm -qi shellcheck rm",
    "lftp -e 'mirror a b; quit' host",
    "rsync -av -e 'ssh -p 22' a h:b",
    "gh issue create --title 'shell completion' --body '![a](https://a.b/c.png)'",
  ];
  for (const command of commands)
    expect([command, decide(command, { ...notRm, allow: [`Bash(${command.split(" ")[0]} *)`] })]).toEqual([
      command,
      "allow",
    ]);
});

test("a here-document without expansions is known, also when its delimiter is not quoted", () => {
  const runs = ["psql <<E\n\\! rm x\nE", "psql <<E\n\\\\! rm x\nE", "psql <<-E\n\t\\! rm x\n\tE"];
  expect(decisionsOf(runs, notRm)).toEqual(all(runs, "ask"));
  const shells = ["bash <<E\nr\\\nm x\nE", "bash <<E\necho \\$a; rm x\nE", "bash <<E\necho \\\\\\\\; rm x\nE"];
  expect(decisionsOf(shells, notRm)).toEqual(all(shells, "deny"));
  const others = ["psql <<E\n\\d users\nE", "bash <<E\necho \\$HOME\nE"];
  expect(decisionsOf(others, notRm)).toEqual(all(others, "allow"));
});

test("commands of a script that sed reads from standard input are seen", () => {
  const denied = [
    "sed -f - f <<E\ne rm x\nE",
    "sed -nf /dev/stdin f <<< 'e rm x'",
    "sed -e p --file=- <<'E'\n1e rm x\nE",
  ];
  expect(decisionsOf(denied, notRm)).toEqual(all(denied, "deny"));
  const asked = [
    "sed -f - f <<E\ns/a/b/e\nE",
    "sed -f - f <<E\ns/a/$x/\nE",
    "sed -f- f < s.sed",
    "echo 'e rm x' | sed -Ef - f",
    "sed -f /dev/fd/3 f",
    'sed -f "$x" f',
  ];
  expect(decisionsOf(asked, notRm)).toEqual(all(asked, "ask"));
  const writes = ["sed -f - f <<E\ns/a/b/w .env\nE", "sed -f - f <<E\nw .env\nE"];
  expect(decisionsOf(writes, { allow: ["Bash"], deny: ["Edit(.env)"] })).toEqual(all(writes, "deny"));
  const plain = ["sed -f - f <<E\ns/a/b/\nE", "sed -es/f/x/ f"];
  expect(decisionsOf(plain, notRm)).toEqual(all(plain, "allow"));
});

test("a command in a here-document or here-string with variables is seen", () => {
  const runs = ["psql <<E\nselect $x;\n\\! rm x\nE", 'psql <<< "$x \\! ./x"', "gdb <<E\n$(date)\nshell rm x\nE"];
  expect(decisionsOf(runs, notRm)).toEqual(all(runs, "ask"));
  const others = ["psql <<E\nselect $x;\nE"];
  expect(decisionsOf(others, notRm)).toEqual(all(others, "allow"));
});

test("a rule on git covers the folder of -C as a part of the command; git after cd is asked about", () => {
  expect(decide("git -C other log", { allow: ["Bash(git *)"] })).toBe("allow");
  expect(decide("git -C other log", { allow: ["Bash(git *)"], ask: ["Bash(git -C *)"] })).toBe("ask");
  expect(decide("cd other && git log", { allow: ["Bash"] })).toBe("ask");
});

test("what a program reads and runs is asked about when a deny rule may apply", () => {
  const commands = ["echo 'rm x' | at now", "sed 's/a/b/e' f", "crontab jobs.txt", "npx $tool x", "unshare"];
  expect(decisionsOf(commands, notRm)).toEqual(all(commands, "ask"));
});

test("wrappers around other commands stay allowed", () => {
  const commands = [
    "strace -c node server.js",
    "docker run --rm -it -p 80:80 nginx",
    "docker run -v a:/app image npm test",
    "npx -y create-vite@latest web --template react-ts",
    "npm exec -- tsc --noEmit",
    "rsync -avz -e 'ssh -p 2222' a b",
    "tar -czf a.tgz dist",
    "crontab -l",
    "sed -n '10,20p' f",
    "kubectl exec -it web -- ls",
    "sed -f script.sed f",
  ];
  expect(decisionsOf(commands, notRm)).toEqual(all(commands, "allow"));
});

test("a rule that allows npx or docker allows what they start; one that allows strace does not", () => {
  const under = (allow: string, command: string) => decide(command, { allow: [allow] });
  expect(under("Bash(npx *)", "npx eslint src")).toBe("allow");
  expect(under("Bash(docker *)", "docker run image npm test")).toBe("allow");
  expect(under("Bash(strace *)", "strace npm test")).toBe("ask");
  expect(under("Bash(rg *)", "rg --pre ./x y")).toBe("ask");
});

describe("options of git", () => {
  const runs = [
    "git -c alias.z='!rm x' z",
    "git -c core.pager='rm x' log",
    "git -c core.sshCommand='rm x' fetch",
    "git -c diff.external='rm x' diff",
    "git rebase -x 'rm x' HEAD~3",
    "git rebase --exec 'rm x' HEAD~3",
    "git submodule foreach 'rm x'",
    "git submodule foreach --recursive rm x",
    "git clone --upload-pack='rm x' h:x",
    "git fetch --upload-pack 'rm x' h",
    "git difftool -x 'rm x'",
    "git grep -O'rm x' foo",
    "git grep -nO'rm x' foo",
    "git grep -5O'rm x' foo",
    "git grep --op='rm x' foo",
    "git filter-branch --tree-filter 'rm x' HEAD",
    "git config alias.z '!rm x'",
    "git config -f .git/config core.pager 'rm x'",
    "git-rebase -x 'rm x' HEAD~3",
    "git -c merge.ff.driver='rm x' merge b",
    "git config credential.helper 'store; rm x'",
    "git submodule--helper foreach -- 'rm x'",
    "git merge-index -o rm x -a",
    "git send-email --smtp-server='rm x' f",
    "git daemon --access-hook='rm x'",
  ];
  test("a deny rule covers the commands they name", () => {
    expect(decisionsOf(runs, notRm)).toEqual(all(runs, "deny"));
  });
  test("a rule for git does not cover the programs they name", () => {
    const others = runs.map((command) => command.replace(/(store; )?rm x/, "/evil"));
    expect(decisionsOf(others, { allow: ["Bash(git *)"] })).toEqual(all(others, "ask"));
  });
  test("a file they write is a write, which no rule for git covers", () => {
    const commands = [
      "git log --output=.git/hooks/pre-commit",
      "git log --output .git/hooks/pre-commit",
      "git log --outp=f",
      "git diff --output=f",
      "git format-patch -o out HEAD~3",
      "git format-patch -ko out HEAD~3",
      "git archive -o f.tar HEAD",
      "git bundle create f HEAD",
      "git checkout-index --prefix=.git/hooks/ -a",
      "git fast-import --export-marks=f",
      "git bundle create -q --version 2 f HEAD",
      "git config -f f user.name x",
      "git config --file=f --unset user.name",
      "git config --file=f --unset-a user.name",
      "git config --file=f edit",
      "find . -fprint f",
    ];
    expect(decisionsOf(commands, { allow: ["Bash(git *)", "Bash(find *)"] })).toEqual(all(commands, "ask"));
    expect(decide("git log --output=.env", { allow: ["Bash"], deny: ["Edit(./.env)"] })).toBe("deny");
  });
  test("settings that can name programs, and external diffs, are asked about", () => {
    const commands = [
      "git log --ext-diff",
      "git --exec-path=/x log",
      "git -c include.path=x log",
      "git -c core.hooksPath=x commit",
      "git --config-env=core.pager=X log",
      "git clone ext::x y",
      "git --git-dir=/x log",
      "git --git-dir /x log",
      "git config alias.z 'push --force'",
      "git config alias.status add",
      "git config set core.hooksPath x",
      "git config --add remote.o.push +main",
      'git config "$key" x',
      "git config --rename-sec x alias",
      "git remote add --mirror o x",
      "git for-each-repo --config=a.b push",
      "git remote-ext o 'touch f'",
      "git clone --template=t a",
      "git init --templ t",
      "git difftool --tool=../../../x",
      "git --work-tree=.git/hooks checkout -- pre-commit",
      "git -c remote.o.url=ext::x fetch o",
    ];
    expect(decisionsOf(commands, { allow: ["Bash(git *)"] })).toEqual(all(commands, "ask"));
  });
  test.each([
    ...["tar.x.command", "core.alternateRefsCommand", "gpg.ssh.defaultKeyCommand", "gc.recentObjectsHook"],
    ...["init.templateDir", "sendemail.sendmailCmd", "imap.tunnel", "guitool.x.cmd", "difftool.x.path", "diff.tool"],
    ...["rebase.instructionFormat", "protocol.ext.allow", "merge.log.driver", "branch.x.mergeOptions", "un.known"],
  ])(
    "a setting that is not known to be plain is asked about, or denied if a denied command occurs in it: %s",
    (key) => {
      const commands = [
        `git config ${key} 'touch f'`,
        `git config set --global ${key} 'touch f'`,
        `git -c ${key}='touch f' gc`,
      ];
      expect(decisionsOf(commands, { allow: ["Bash(git *)"] })).toEqual(all(commands, "ask"));
      expect(decisionsOf(commands, { allow: ["Bash(git *)"], deny: ["Bash(touch *)"] })).toEqual(all(commands, "deny"));
    },
  );
  test("settings that name no program do not matter", () => {
    const commands = [
      "git -c color.ui=false log",
      "git -c core.quotepath=off ls-files",
      "git -c user.name=a -c user.email=b commit -m x",
      "git log -S'parseConfig' --oneline",
      "git diff --output-indicator-new=+",
      "git ls-files -o",
      "git push -o ci.skip",
      "git config core.autocrlf false",
      'git config branch."$b".remote origin',
      'git config -f "$file" user.name',
      "git config get alias.z",
      "git config submodule.x.update rebase",
      "git remote add --mirror=fetch o x",
      "git grep -neTODO",
      "git config -f .gitmodules user.name",
      "git config --type bool core.fileMode false",
      "git config --global user.name 'A. B.'",
      "git config credential.helper 'cache --timeout=300'",
      "git config url.git@a.b:.insteadOf https://a.b/",
      "git config remote.origin.url https://a.b/c",
      "git -c gc.auto=0 fetch",
      "git commit --template=t",
      "git log --author=ana",
      "git commit --author='Ana <a@b.c>' -m x",
      "git show --cc HEAD",
      "git format-patch --to=a@b.c --stdout HEAD~1",
      "git send-email --to=a@b.c --cc a@b.c f",
    ];
    expect(decisionsOf(commands, { allow: ["Bash(git *)"] })).toEqual(all(commands, "allow"));
  });
});

test("behind an option of a launcher that is not known, every word may be the command that a deny rule covers", () => {
  const commands = [
    "bwrap --bind / / rm x",
    "bwrap --dev-bind / / sh -c 'rm x'",
    "bwrap --setenv A -b --symlink a b rm x",
    "docker run --gpus all image rm x",
    "docker run $options image rm x",
    "podman exec -l rm x",
    "lxc exec web --env A=B rm x",
    "screen -S name -R rm x",
    "script -t log rm x",
    "docker --context exec run image rm x",
    `npm ${"--silent ".repeat(20)}exec rm x`,
  ];
  expect(decisionsOf(commands, notRm)).toEqual(all(commands, "deny"));
  const others = [
    "bwrap --ro-bind /usr /usr --ro-bind /lib /lib --ro-bind /bin /bin --dev /dev --proc /proc --unshare-all npm test",
    "docker run --gpus all image npm test",
    'docker exec "$container" ls',
    "npx --no-install eslint .",
    "uv run --frozen manage.py set x",
  ];
  expect(decisionsOf(others, notRm)).toEqual(all(others, "allow"));
  const long = `bwrap ${"--ro-bind /a /a ".repeat(30)}npm test`;
  expect(decide(long, notRm)).toBe("ask");
  expect(decide("docker run --gpus all image npm test", { allow: ["Bash(docker *)"] })).toBe("allow");
});

test("the options of launchers take as many words as those of the programs", () => {
  const commands = [
    "faketime -f @2020 rm x",
    "faketime -p 5 now rm x",
    "nsenter -r rm x",
    "nsenter -t 1 -w rm x",
    "ltrace -b rm x",
    "tmux run -d 5 'rm x'",
  ];
  expect(decisionsOf(commands, notRm)).toEqual(all(commands, "deny"));
});
