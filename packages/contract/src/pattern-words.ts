import { cloudRules } from "./clouds/rules.ts";

const name = "use lower-case letters, digits and dashes, start with a letter and not end with a dash";
const version = "be a Kubernetes version such as 1.34 or 1.34.1";

/**
 * Phrases that follow "must" in error messages and say what a pattern allows, keyed by pattern. A test fails if a pattern in the proto
 * files has no phrase.
 */
export const patternWords: Readonly<Record<string, string>> = {
  "^[a-z]([-a-z0-9]*[a-z0-9])?$": name,
  "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$": `${name}; at most 63 characters`,
  "^([a-z]([-a-z0-9]*[a-z0-9])?)?$": name,
  "^([a-z]([-a-z0-9]*[a-z0-9])?|\\*)$": "be the name of a project, or * for every project",
  "^([A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)*)?$":
    "be a path such as teams/states: letters, digits, underscores and dashes, separated by single slashes",
  "^([a-z0-9][a-z0-9._-]*)?$": "use lower-case letters, digits, dots, dashes and underscores, and start with a letter or digit",
  "^(/[^\\x00-\\x1f]*)?$": "be an absolute path such as /srv/images/web.tar",
  "^([0-9a-f]{64})?$": "be a SHA-256 checksum or fingerprint: 64 hexadecimal digits in lower case, without colons",
  "^[a-z][-a-z0-9]*$": "use lower-case letters, digits and dashes, and start with a letter",
  "^[a-z][a-z0-9_]*$": "use lower-case letters, digits and underscores, and start with a letter",
  "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$":
    "use lower-case letters, digits and dashes, and not start or end with a dash; at most 63 characters",
  "^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$":
    "use lower-case letters, digits, dots and dashes, and start and end with a letter or digit; at most 253 characters",
  "^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?)?$":
    "use lower-case letters, digits, dots and dashes, and start and end with a letter or digit; at most 253 characters",
  "^[a-z]([-a-z0-9]{0,28}[a-z0-9])?$": `${name}; at most 30 characters`,
  "^([1-9][0-9]{0,4}|[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?)$":
    "be the number or the name of a port: at most 15 lower-case letters, digits and dashes",
  "^[a-z0-9-]*$": "use lower-case letters, digits and dashes",
  "^[a-z0-9.-]{1,64}$": "use lower-case letters, digits, dots and dashes; 1 to 64 characters",
  "^[A-Za-z0-9_.-]{1,255}$": "use letters, digits, underscores, dots and dashes; 1 to 255 characters",
  "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$":
    "have a key such as tier or example.com/tier: letters, digits, dashes, underscores and dots, starting and ending with a letter or digit",
  "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$":
    "use letters, digits, dashes, underscores and dots, and start and end with a letter or digit",
  "^([a-z][a-z0-9-]{1,38}[a-z0-9])?$":
    "be a region name such as eu-west-1: lower-case letters, digits and dashes; 3 to 40 characters",
  "^(v?1\\.(0|[1-9][0-9]{0,2})(\\.(0|[1-9][0-9]{0,2}))?)?$": version,
  "^(v(0|[1-9][0-9]{0,5})\\.(0|[1-9][0-9]{0,5})\\.(0|[1-9][0-9]{0,5}))?$": "be a configuration version such as v1.0.0",
  "^([01][0-9]|2[0-3]):[0-5][0-9]$": "be a time of day from 00:00 to 23:59, such as 02:30",
  "^([A-Za-z0-9][A-Za-z0-9._+-]*)?$":
    "be a version such as v1.2.3: letters, digits, dots, underscores, plus signs and dashes, starting with a letter or digit",
  "^([A-Za-z][A-Za-z0-9_+/-]*)?$": "be a time zone name such as Europe/Berlin",
  "^([0-9]{1,9}\\.[0-9]{1,9})?$": "be a log position such as 1.42 (attempt and line number)",
  "^[A-Za-z0-9/_.:-]*$": "use letters, digits, slashes, underscores, dots, colons and dashes",
  "^([a-z_][a-z0-9_-]{0,31})?$": "be a Linux user name such as ubuntu: lower-case letters, digits, underscores and dashes",
  "^(ssh|ecdsa|sk)-[A-Za-z0-9@.-]+ [A-Za-z0-9+/]+={0,3}$": "be a public key such as ssh-ed25519 AAAA..., without a comment",
  "^((ssh|ecdsa|sk)-[A-Za-z0-9@.-]+ [A-Za-z0-9+/]+={0,3}( [^\\r\\n]*)?)?$":
    "be one public key in OpenSSH's format, such as ssh-ed25519 AAAA... ann@example.com",
  "^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$":
    "use lower-case letters, digits and dashes, and not start or end with a dash; at most 63 characters",
  "^[A-Za-z0-9]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?$": "be an address or a host name such as 192.0.2.11 or node-1.example.org",
  "^(([0-9a-f]{2}:){5}[0-9a-f]{2})?$": "be a MAC address in lower case, such as 52:54:00:12:34:56",
  "^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$": "be an address such as https://192.0.2.5, without a path",
  "^([A-Za-z0-9._-]{1,64})?$": "use letters, digits, dots, underscores and dashes; at most 64 characters",
  ...Object.fromEntries(cloudRules.flatMap((rules) => Object.entries(rules.patternWords))),
};
