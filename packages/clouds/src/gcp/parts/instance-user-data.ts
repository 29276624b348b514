import { refuseRequest } from "../../library/errors.ts";
import type { InstanceStart, InstanceUserData } from "../../library/instance-start.ts";
import { findImage } from "../library/images.ts";

/**
 * Renders the `metadata` attribute of a Compute Engine instance. Google's agent on the instance creates the user and installs the SSH
 * keys. Images with cloud-init read the user data from `user-data`. Debian's images have no cloud-init, so a startup script takes its
 * place.
 */
export function renderInstanceUserData({ image, sshKeys, user, userData }: InstanceStart): InstanceUserData {
  const found = findImage(image, "");
  const chosen = user === "" ? found.user : user;
  for (const key of sshKeys) checkSshKey(key);
  const metadata = {
    ...(sshKeys.length === 0
      ? {}
      : {
          "ssh-keys": sshKeys.map((key) => `${chosen}:${key.trim()}`).join("\n"),
          // Only the given keys may grant access to the machine. OS Login is disabled, because it would make Compute Engine ignore these
          // keys.
          "block-project-ssh-keys": "TRUE",
          "enable-oslogin": "FALSE",
        }),
    ...(/\/debian-/.test(found.path)
      ? { "startup-script": renderStartup(userData) }
      : userData === ""
        ? {}
        : { "user-data": userData }),
  };
  return { userData, user: chosen, metadata };
}

/** Throws `clouds.invalid` unless the text is one public key in OpenSSH's format. */
function checkSshKey(key: string): void {
  if (/PRIVATE KEY/.test(key)) throw refuseRequest("gcp", "sshKeys contains a private key; pass the public key (.pub)");
  if (!/^(ssh|ecdsa|sk)-[\w@.-]+ [A-Za-z0-9+/=]+( [^\r\n]*)?$/.test(key.trim()))
    throw refuseRequest("gcp", `sshKeys contains "${key.slice(0, 20)}...", which is not a public key in OpenSSH's format`);
}

const file = "/var/lib/cloudwright-user-data";

/**
 * Prints the SSH host keys on the serial console in the format of cloud-init, and runs the user data when the machine starts for the first
 * time. Compute Engine runs startup scripts at each start.
 */
function renderStartup(userData: string): string {
  if (userData !== "" && !userData.startsWith("#!"))
    throw refuseRequest("gcp", "userData must be a script that starts with #!, because Debian's images have no cloud-init");
  return [
    "#!/bin/sh",
    "echo -----BEGIN SSH HOST KEY KEYS-----",
    "cat /etc/ssh/ssh_host_*_key.pub",
    "echo -----END SSH HOST KEY KEYS-----",
    ...(userData === ""
      ? []
      : [
          `[ -e ${file} ] && exit 0`,
          // The script is encoded, so that none of its lines can end the here-document.
          `umask 077 && base64 -d > ${file} <<'END'`,
          Buffer.from(userData).toString("base64"),
          "END",
          `chmod 700 ${file} && exec ${file}`,
        ]),
    "",
  ].join("\n");
}
