import { Fault } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";

interface Part {
  readonly type: string;
  readonly content: string;
}

/** First lines of the supported cloud-init formats, with their media types. */
const formats = {
  "#cloud-config": "text/cloud-config",
  "#!": "text/x-shellscript",
  "#cloud-boothook": "text/cloud-boothook",
  "#include": "text/x-include-url",
  "## template: jinja": "text/jinja2",
} as const;

/** Maximum size of user data in bytes. The limit keeps the records small. */
export const userDataLimit = 256 * 1024;

/** Returns the media type of user data. Throws if the first line does not name a supported format. */
export function typeOfUserData(userData: string): string {
  const format = Object.entries(formats).find(([start]) => userData.startsWith(start));
  if (format !== undefined) return format[1];
  const allowed = Object.keys(formats).join(", ");
  const start = (userData.split("\n")[0] as string).slice(0, 40);
  throw new Fault(hostsFaults.bad_instance, `userData starts with "${start}"; it must start with one of: ${allowed}`);
}

/**
 * Renders user data with several parts. The contents are encoded, so no content can end its part early. Later parts append to lists of
 * earlier parts, but do not replace values, so a user cannot lock the platform out.
 */
export function renderMultipart(parts: readonly Part[]): string {
  const boundary = "==cloudwright==";
  const rendered = parts.map(({ type, content }) =>
    [
      `--${boundary}`,
      `Content-Type: ${type}; charset="utf-8"`,
      "Content-Transfer-Encoding: base64",
      "Merge-Type: list(append)+dict(no_replace,recurse_list)+str()",
      "",
      ...wrap(Buffer.from(content, "utf8").toString("base64")),
    ].join("\n"),
  );
  const head = `Content-Type: multipart/mixed; boundary="${boundary}"\nMIME-Version: 1.0\n`;
  return `${head}\n${rendered.join("\n")}\n--${boundary}--\n`;
}

/** MIME allows at most 76 characters per line. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; start += 76) lines.push(text.slice(start, start + 76));
  return lines;
}
