import { expect, test } from "vitest";
import { isSecretVariable, withoutSecrets } from "./secrets.ts";

test.each([
  ["https://joe:pw@a.example/x", "https://[redacted]@a.example/x"],
  ["https://joe:p@w@a.example/x", "https://[redacted]@a.example/x"],
  ["https://token@a.example", "https://[redacted]@a.example"],
  [
    "postgres://u:p's<x>@db:5432/n and git+ssh://git@host/r",
    "postgres://[redacted]@db:5432/n and git+ssh://[redacted]@host/r",
  ],
  ['{"u":"https:\\/\\/joe:pw@a.example"}', '{"u":"https:\\/\\/[redacted]@a.example"}'],
  ["https://a.example/@scope/x", "https://a.example/@scope/x"],
  ["https://a.example?mail=x@y", "https://a.example?mail=x@y"],
  ["https://a.example mail x@y", "https://a.example mail x@y"],
  ['["https://a.example","x@y"]', '["https://a.example","x@y"]'],
])("the credentials in %j are replaced, and nothing else", (text, seen) => {
  expect(withoutSecrets(text, [])).toBe(seen);
});

test("the longest secret is taken first, and characters of patterns mean themselves", () => {
  expect(withoutSecrets("ab.*c ab.*cd abxxc redacted", ["ab.*c", "ab.*cd", "redacted", ""])).toBe(
    "[redacted] [redacted] abxxc [redacted]",
  );
});

test("a secret at the beginning of credentials does not uncover the rest of them", () => {
  expect(withoutSecrets("http://admin1:hunter2@h/", ["admin1"])).toBe("http://[redacted]@h/");
});

test("keys named like a prototype stay keys, circles stay circles, depth has an end", () => {
  const seen = withoutSecrets(JSON.parse('{"__proto__":{"x":"hunter2"}}') as object, ["hunter2"]);
  expect([JSON.stringify(seen), ({} as Record<string, unknown>)["x"]]).toEqual([
    '{"__proto__":{"x":"[redacted]"}}',
    undefined,
  ]);
  const circle: { self?: unknown; twin?: unknown; name: string } = { name: "hunter2" };
  circle.self = circle;
  circle.twin = circle;
  const copy = withoutSecrets(circle, ["hunter2"]);
  expect([copy.name, copy.self === copy, copy === circle]).toEqual(["[redacted]", true, false]);
  const deep = JSON.parse(`${"[".repeat(5_000)}"hunter2"${"]".repeat(5_000)}`) as unknown;
  expect(JSON.stringify(withoutSecrets(deep, ["hunter2"]))).toBe(`${"[".repeat(50)}"[redacted]"${"]".repeat(50)}`);
});

test("a megabyte that looks like the beginning of credentials is unchanged", () => {
  const text = `${"a".repeat(500_000)}${"://x".repeat(100_000)}`;
  expect(withoutSecrets(text, ["hunter2"])).toBe(text);
});

test.each([
  "AWS_SECRET_ACCESS_KEY",
  "AWS_ACCESS_KEY_ID",
  "ANTHROPIC_API_KEY",
  "OPENAI_APIKEY",
  "GITHUB_TOKEN",
  "GH_PAT",
  "npm_config__authToken",
  "DB_PASSWORD",
  "PGPASSWORD",
  "MYSQL_PWD",
  "SMTP_PASS",
  "SSH_PRIVATE_KEY",
  "STRIPE_KEY",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "SESSION_COOKIE",
  "SENTRY_DSN",
  "SLACK_WEBHOOK_URL",
])("a variable named %s holds a secret", (name) => {
  expect(isSecretVariable(name)).toBe(true);
});

test.each([
  "PATH",
  "PWD",
  "OLDPWD",
  "HOME",
  "GIT_AUTHOR_NAME",
  "XAUTHORITY",
  "SSH_AUTH_SOCK",
  "GIT_ASKPASS",
  "KEYBOARD",
  "MAX_OUTPUT_TOKENS",
  "TOKENIZERS_PARALLELISM",
  "CLAUDE_CODE_SESSION_ID",
])("a variable named %s holds no secret", (name) => {
  expect(isSecretVariable(name)).toBe(false);
});

test("what looks like a secret is masked, in texts and under the names of secrets", () => {
  const secrets = [
    `sk-ant-${"a1".repeat(12)}`,
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "AKIAABCDEFGHIJKLMNOP",
    `xoxb-${"12".repeat(8)}`,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcDEF-_123",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
  ];
  for (const secret of secrets) expect(withoutSecrets(`before ${secret} after`)).toBe("before [redacted] after");
  expect(withoutSecrets("postgres://me:hunter2@db/x?password=abc&y=1")).toBe(
    "postgres://[redacted]@db/x?password=[redacted]&y=1",
  );
  expect(withoutSecrets(`{"token": "a b c", 'n': 1}`)).toBe(`{"token": [redacted], 'n': 1}`);
  // They got through: behind a color, in JSON inside of JSON, without a user, under names with more words.
  expect(withoutSecrets("\u001b[32mghp_abcdefghijklmnopqrstuvwxyz0123456789\u001b[0m")).toBe(
    "\u001b[32m[redacted]\u001b[0m",
  );
  expect(withoutSecrets(String.raw`{\"token\": \"a b\"}`)).toBe(String.raw`{\"token\": [redacted]}`);
  expect(withoutSecrets("redis://:hunter2@cache SECRET_KEY_BASE=abc DB_PASS=x")).toBe(
    "redis://[redacted]@cache SECRET_KEY_BASE=[redacted] DB_PASS=[redacted]",
  );
  expect(withoutSecrets("postgres://me:p@ss@db/x\nCookie: sid=1; b=2\nok")).toBe(
    "postgres://[redacted]@db/x\nCookie: [redacted]\nok",
  );
  expect(withoutSecrets({ db_pass: "x", compass: "north" })).toEqual({ db_pass: "[redacted]", compass: "north" });
  expect(withoutSecrets({ Authorization: "x", list: [{ password: "p", plain: "text" }], n: 1 })).toEqual({
    Authorization: "[redacted]",
    list: [{ password: "[redacted]", plain: "text" }],
    n: 1,
  });
  const before = process.cpuUsage();
  for (const evil of [
    "a:".repeat(50_000),
    "token = ".repeat(20_000),
    `://${"a".repeat(100_000)}`,
    "eyJ".repeat(40_000),
  ])
    withoutSecrets(evil);
  expect(process.cpuUsage(before).user).toBeLessThan(10e6);
});
