import { refuseRequest } from "../../library/errors.ts";

/** EC2 limits user data to this size before encoding. */
const mostBytes = 16 * 1024;

/** The SSH keys to install, their user, and the caller's own user data. */
export interface UserDataRequest {
  readonly sshKeys: readonly string[];
  readonly user: string;
  /** User that the image already has. If the keys are for another user, that user is created. */
  readonly imageUser: string;
  readonly userData: string | undefined;
}

/**
 * Renders user data that installs SSH keys with cloud-init and keeps the caller's own user data. EC2 key pairs are not used, because an
 * instance accepts only one key pair, which would have to be deleted later. Returns undefined if there is nothing to send.
 */
export function renderUserData({ sshKeys, user, imageUser, userData }: UserDataRequest): string | undefined {
  for (const key of sshKeys) checkSshKey(key);
  const own = userData === undefined || userData === "" ? undefined : userData;
  const keys = sshKeys.map((key) => key.trim());
  if (keys.length === 0 && user === imageUser) return own === undefined ? undefined : encode(own);
  const config = `#cloud-config\n${JSON.stringify(renderConfig(user, imageUser, keys))}\n`;
  return encode(own === undefined ? config : renderParts(own, config));
}

function renderConfig(user: string, imageUser: string, keys: readonly string[]): object {
  if (user === imageUser) return { ssh_authorized_keys: keys };
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(user)) throw refuseRequest("aws", `"${user}" is not a valid Linux user name`);
  const account = { name: user, shell: "/bin/bash", sudo: "ALL=(ALL) NOPASSWD:ALL", ssh_authorized_keys: keys };
  return { users: ["default", account] };
}

/** Throws `clouds.invalid` unless the text is one public key in OpenSSH's format. */
function checkSshKey(key: string): void {
  if (/PRIVATE KEY/.test(key)) throw refuseRequest("aws", "sshKeys contains a private key; pass the public key (.pub)");
  if (!/^(ssh|ecdsa|sk)-[\w@.-]+ [A-Za-z0-9+/=]+( [^\r\n]*)?$/.test(key.trim()))
    throw refuseRequest("aws", `sshKeys contains "${key.slice(0, 20)}...", which is not a public key in OpenSSH's format`);
}

const boundary = "==cloudwright-user-data==";

const types: readonly (readonly [start: RegExp, type: string])[] = [
  [/^#!/, "text/x-shellscript"],
  [/^#cloud-config/, "text/cloud-config"],
  [/^#cloud-boothook/, "text/cloud-boothook"],
  [/^#include/, "text/x-include-url"],
  [/^## template: *jinja/, "text/jinja2"],
];

function renderParts(own: string, config: string): string {
  const type = types.find(([start]) => start.test(own))?.[1];
  if (type === undefined)
    throw refuseRequest(
      "aws",
      "userData must start with #!, #cloud-config, #cloud-boothook, #include or ## template: jinja if sshKeys or user is set",
    );
  return [
    "MIME-Version: 1.0",
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    "",
    ...renderPart(type, own),
    // The keys come last, so that they are appended to the lists in the caller's own configuration.
    ...renderPart("text/cloud-config", config, ["X-Merge-Type: list(append)+dict(no_replace,recurse_list)+str()"]),
    `--${boundary}--`,
    "",
  ].join("\n");
}

function renderPart(type: string, body: string, headers: readonly string[] = []): string[] {
  const encoding = ["MIME-Version: 1.0", "Content-Transfer-Encoding: 8bit"];
  return [`--${boundary}`, `Content-Type: ${type}; charset="utf-8"`, ...encoding, ...headers, "", body];
}

function encode(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length > mostBytes)
    throw refuseRequest("aws", `user data and SSH keys take ${bytes.length} bytes together; EC2 allows ${mostBytes}`);
  return bytes.toString("base64");
}
