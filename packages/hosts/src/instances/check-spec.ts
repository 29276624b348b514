import { Fault } from "@cloudwright/platform";
import { isIPv4 } from "node:net";
import { hostsFaults } from "../faults.ts";
import type { InstanceSpec } from "./driver.ts";
import { typeOfUserData, userDataLimit } from "./user-data.ts";

const keyTypes = ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-", "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-"];

/** Throws a fault that names every invalid field of a specification, its value and what is allowed. */
export function checkSpec(spec: InstanceSpec): void {
  const { port, access } = spec;
  const problems = [
    test(
      "uid",
      spec.uid,
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      "lower-case letters, digits and dashes, at most 63 characters, starting with a letter or digit",
    ),
    test(
      "name",
      spec.name,
      /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
      "lower-case letters, digits and dashes, at most 63 characters, without a dash at the start or end",
    ),
    test("project", spec.project, /^.{1,128}$/, "1 to 128 characters in one line"),
    range("cpus", spec.cpus, 0.1, 1024),
    range("memoryMib", spec.memoryMib, 64, 16 * 1024 * 1024),
    range("diskGib", spec.diskGib, 0.1, 64 * 1024),
    test(
      "port.namespace",
      port.namespace,
      /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/,
      "letters, digits, dashes and underscores, at most 63 characters, starting with a letter or digit",
    ),
    ...[
      ["port.address", port.address] as const,
      ["port.gateway", port.gateway] as const,
      ...port.dns.map((each) => ["port.dns", each] as const),
    ].map(([field, value]) => (isIPv4(value) ? undefined : `${field} is "${value}"; use an IPv4 address such as 10.0.0.5`)),
    range("port.prefixLength", port.prefixLength, 1, 32),
    test(
      "port.mac",
      port.mac,
      /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/,
      "six pairs of lower-case hexadecimal digits, separated by colons",
    ),
    test(
      "access.user",
      access.user,
      /^[a-z_][a-z0-9_-]{0,31}$/,
      "lower-case letters, digits, dashes and underscores, at most 32 characters, starting with a letter or underscore",
    ),
    ...access.authorizedKeys.map((key) => checkPublicKey("access.authorizedKeys", key)),
    checkPublicKey("access.hostKey.publicKey", access.hostKey.publicKey),
    access.hostKey.privateKey.startsWith("-----BEGIN OPENSSH PRIVATE KEY-----")
      ? undefined
      : "access.hostKey.privateKey is not a private key in the OpenSSH format; create one with ssh-keygen",
    Buffer.byteLength(spec.userData ?? "") <= userDataLimit
      ? undefined
      : `userData is larger than the limit of ${userDataLimit} bytes`,
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Fault(hostsFaults.bad_instance, problems.join("; "));
  if (spec.userData !== undefined) typeOfUserData(spec.userData);
}

function test(field: string, value: string, pattern: RegExp, allowed: string): string | undefined {
  return pattern.test(value) ? undefined : `${field} is "${value.slice(0, 200)}"; use ${allowed}`;
}

function range(field: string, value: number, low: number, high: number): string | undefined {
  return value >= low && value <= high ? undefined : `${field} is ${value}; use a number from ${low} to ${high}`;
}

function checkPublicKey(field: string, key: string): string | undefined {
  const [type = "", data = ""] = key.split(" ");
  const isKnown =
    keyTypes.some((known) => type.startsWith(known)) && /^[A-Za-z0-9+/]{40,}={0,2}$/.test(data) && !/[\r\n]/.test(key);
  return isKnown ? undefined : `${field} contains "${key.slice(0, 60)}"; use one line such as ssh-ed25519 AAAA... comment`;
}
