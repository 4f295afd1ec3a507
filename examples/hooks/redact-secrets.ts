// Masks keys and tokens in what tools print, before the model reads it. Output that cannot be masked does not get through.
// app.include(redactSecrets({ patterns: [/\bACME-\d{8}\b/g] }));
import { type Blueprint, blueprint, mapOutput } from "hookline/sdk";

export interface RedactSecretsOptions {
  /** Further shapes of secrets; with the flag g, every one in a text is masked. */
  readonly patterns?: readonly RegExp[];
}

/** Keys that say by their shape what they are. Each is bounded, so that long outputs cost little. */
const keys = [
  /(?:AKIA|ASIA)[0-9A-Z]{16}/g,
  /gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{60,255}|gl(?:pat|dt|rt)-[\w-]{20,255}/g,
  /(?:(?<![A-Za-z0-9])|(?<=\u001b\[[\d;]{0,20}m))(?:sk|pk|rk)(?:-(?=[\w-]{0,255}\d)|_live_|_test_)[\w-]{16,255}/g,
  /xox[abeprs]-[\w-]{10,255}|xapp-[\w-]{20,255}|(?<=hooks\.slack\.com\/services\/)[\w/]{20,255}/g,
  /AIza[\w-]{35}|ya29\.[\w-]{20,500}|GOCSPX-[\w-]{20,60}|SG\.[\w-]{16,60}\.[\w-]{16,80}/g,
  /npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,500}|hf_[A-Za-z0-9]{30,60}|dop_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-f]{32}/g,
  /hv[bsr]\.[\w-]{20,255}|whsec_[\w/+]{20,100}|lin_api_\w{30,60}|dapi[0-9a-f]{32}|AGE-SECRET-KEY-1[0-9A-Z]{50,60}/g,
  /(?:(?<![\w-])|(?<=\u001b\[[\d;]{0,20}m))eyJ[\w-]{8,2000}\.[\w-]{4,4000}(?:\.[\w-]{0,1000}){1,3}/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}-----|$)/g,
];

/** Values whose place says what they are: in addresses, headers and files of logins. */
const places = [
  /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:)[^\s/]{3,200}(?=@)|(?<=:\/\/)[\w-]{20,255}(?=@)/gi,
  /(?<=\bauthorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:\w{1,20}\s{1,3})?)(?=\S{0,300}\d)[\w.~+/=-]{8,4000}/gi,
  /(?<=\bbearer\s{1,3})(?=\S{0,300}\d)[\w.~+/=-]{16,4000}|(?<=\bcookie:\s{1,3}[\w.-]{1,60}=)[^\s;]{8,4000}/gi,
  /(?<=\blogin\s{1,3}\S{1,100}\s{1,9}password\s{1,3})\S{3,200}|(?<=\b_auth=|[?&]sig=)[\w%+/=-]{8,300}/gi,
];

/** Values with the name of a secret: in quotes, after `=`, or with a digit. Variables and calls stay readable. */
const keyNames = "(?:api|access|secret|private|account|shared|signing|encryption)[_-]?(?:access[_-]?)?key(?:_base)?";
const named = (between: RegExp, value: RegExp) =>
  new RegExp(
    `(?<=(?:password|passwd|passphrase|_pass|token|secret|${keyNames})${between.source})${value.source}`,
    "gi",
  );
const values = [
  named(/\\?["']?\s{0,3}(?:=>?|:)\s{0,3}\\?["']/, /[^\s"'\\]{8,300}(?=\\?["'])/),
  named(/["']?=/, /(?!["'$<{(]|[\w.]{1,100}[([])[^\s"',;&]{6,300}/),
  named(/["']?(?:\s{0,3}:|\s{1,3}=)\s{0,3}/, /(?!["'$<{(]|[\w.]{1,100}[([])(?=\S{0,300}\d)[^\s"',;&]{8,300}/),
];

export function redactSecrets({ patterns: given = [], ...others }: RedactSecretsOptions = {}): Blueprint {
  const patterns = [given].flat().map((one) => (typeof one === "string" ? new RegExp(one, "g") : one));
  const part = blueprint("redact-secrets", { ...others, patterns }, { patterns: "RegExp[]" });
  const all = [...keys, ...places, ...values, ...patterns];
  const mask = (text: string) => all.reduce((masked, pattern) => masked.replace(pattern, "[redacted]"), text);
  part.postTool({ name: "redact-secrets", onFailure: "block" }, ({ response }) =>
    holdsSecret(response, mask) ? mapOutput(mask) : undefined,
  );
  return part;
}

function holdsSecret(value: unknown, mask: (text: string) => string): boolean {
  if (typeof value === "string") return mask(value) !== value;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((inner) => holdsSecret(inner, mask));
}
