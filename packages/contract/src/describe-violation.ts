import { patternWords } from "./pattern-words.ts";

/** Rewrites a validator message in plain words that say what is allowed. The text is shown after the field name. */
export function describeViolation(message: string): string {
  for (const [form, rewrite] of forms) {
    const match = form.exec(message);
    if (match !== null) return rewrite(match[1] ?? "", match[2] ?? "");
  }
  return message;
}

type Rewrite = (first: string, second: string) => string;

const forms: readonly (readonly [form: RegExp, rewrite: Rewrite])[] = [
  [/^does not match regex pattern `(.*)`$/s, (pattern) => `must ${patternWords[pattern] ?? "have the documented format"}`],
  [/^(?:value is required|must be at least 1 characters)$/, () => "is required"],
  [/^must be in list \[(.*)\]$/, (list) => `must be ${describeList(list.split(", "))}`],
  [
    /^must be a valid (IPv4|IP|IPv6) prefix$/,
    (family) => `must be ${rangeWords[family] ?? "an address range"}, without host bits`,
  ],
  [/^must be a valid UUID$/, () => "must be a UUID such as 0b1f6d2e-7c1a-4c57-9d8e-2f4f5b6a7c8d"],
  [/^repeated value must contain unique items$/, () => "must not contain the same item twice"],
  [/^must contain no more than (\d+) item\(s\)$/, (most) => `must contain at most ${most} items`],
  [/^must contain at least (\d+) item\(s\)$/, (least) => `must contain at least ${least} ${least === "1" ? "item" : "items"}`],
  [/^map must be at most (\d+) entries$/, (most) => `must contain at most ${most} entries`],
  [
    /^must be greater than or equal to (\S+) and less than or equal to (\S+)$/,
    (least, most) => `must be from ${least} to ${most}`,
  ],
];

const rangeWords: Readonly<Record<string, string>> = {
  IPv4: "an IPv4 range such as 10.0.0.0/16",
  IPv6: "an IPv6 range such as fd00::/64",
  IP: "an address range such as 10.0.0.0/16",
};

function describeList(values: readonly string[]): string {
  const named = values.filter((value) => value !== "");
  return `${named.length < values.length ? "empty or " : ""}${named.length > 1 ? "one of " : ""}${named.join(", ")}`;
}
