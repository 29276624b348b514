/**
 * Maps tags to Google Cloud labels and back. Label keys and values may contain only lower-case letters, digits, hyphens and underscores.
 * Each UTF-8 byte of any other character becomes two underscores and two hexadecimal digits: `this/network` becomes `this__2fnetwork`.
 * Values that are already valid stay unchanged, except for consecutive and trailing underscores. The prefix `cloudwright:` becomes
 * `cloudwright_`.
 */
const ownTag = "cloudwright:";
const ownLabel = "cloudwright_";

/** Label keys must start with a letter. Other keys get this prefix, which escaping never produces. */
const prefixOfOthers = "x__x";

/** The maximum number of characters in a label's key and in its value. */
export const maxLabelLength = 63;

/**
 * Returns the label key for a tag key, for example `cloudwright_entity` for `cloudwright:entity`. The result may exceed `maxLabelLength`.
 */
export function toLabelKey(tag: string): string {
  if (/^cloudwright:[a-z0-9-]/.test(tag)) return ownLabel + escapeIllegal(tag.slice(ownTag.length));
  // A user's key must not look like an ownership label.
  const escaped = tag.startsWith(ownLabel)
    ? `cloudwright${escapeText("_")}${escapeIllegal(tag.slice(ownLabel.length))}`
    : escapeIllegal(tag);
  return /^[a-z]/.test(escaped) ? escaped : prefixOfOthers + escaped;
}

/** Returns the tag key for a label key. Reverses `toLabelKey`. */
export function toTagKey(label: string): string {
  if (/^cloudwright_[^_]/.test(label)) return ownTag + unescapeText(label.slice(ownLabel.length));
  return unescapeText(label.startsWith(prefixOfOthers) ? label.slice(prefixOfOthers.length) : label);
}

/**
 * Stands for an empty tag value. Google's Terraform provider would change an empty label in every run. Escaping never produces this value.
 */
const emptyValue = "__";

/** Returns the label value for a tag value. The result may exceed `maxLabelLength`. */
export function toLabelValue(value: string): string {
  return value === "" ? emptyValue : escapeIllegal(value);
}

/** Returns the tag value for a label value. Reverses `toLabelValue`. */
export function toTagValue(label: string): string {
  return label === emptyValue ? "" : unescapeText(label);
}

/** Returns the tags for a resource's labels. */
export function toTags(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [toTagKey(key), toTagValue(value)]));
}

// An underscore is kept only if another legal character follows. Two underscores therefore always start an escape sequence.
function escapeIllegal(text: string): string {
  return text.replaceAll(/_(?![a-z0-9-])|[^a-z0-9_-]+/g, escapeText);
}

function escapeText(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => `__${byte.toString(16).padStart(2, "0")}`).join("");
}

function unescapeText(text: string): string {
  return text.replaceAll(/(?:__[0-9a-f]{2})+/g, (run) => {
    const bytes = run.slice(2).split("__");
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
  });
}
