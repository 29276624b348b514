import type { FieldViolation } from "@cloudwright/platform";
import type { Inventory, InventoryHost } from "../../gen/cloudwright/v1/inventory_pb.ts";

/** Rejects hosts that share a name, an address or a MAC address, and a certificate that is checked in two ways. */
export function checkInventory({ spec }: Inventory): FieldViolation[] {
  const hosts = spec?.hosts ?? [];
  return [
    ...findTwins(hosts, "name", ({ name }) => name),
    ...findTwins(hosts, "address", ({ address, port }) => `${address.toLowerCase()}:${port || 22}`),
    ...findTwins(hosts, "mac", ({ mac }) => mac),
    ...findTwins(hosts, "bmc", ({ bmc }) => (bmc === undefined ? "" : `${bmc.address.toLowerCase()} ${bmc.system}`)),
    ...hosts.flatMap(({ bmc }, index) =>
      bmc === undefined || bmc.ca === "" || bmc.fingerprint === ""
        ? []
        : [{ field: `spec.hosts[${index}].bmc.ca`, message: "must be empty if fingerprint is set" }],
    ),
  ];
}

/** Returns a violation for each host whose value equals that of an earlier host. Empty values are ignored. */
function findTwins(hosts: readonly InventoryHost[], field: string, valueOf: (host: InventoryHost) => string): FieldViolation[] {
  const first = new Map<string, string>();
  return hosts.flatMap((host, index) => {
    const value = valueOf(host);
    const twin = value === "" ? undefined : first.get(value);
    if (twin === undefined) first.set(value, host.name);
    return twin === undefined
      ? []
      : [{ field: `spec.hosts[${index}].${field}`, message: `is the same as that of host "${twin}": ${value}` }];
  });
}

const line = /^(?<name>[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?) (?<password>\S.{0,255})$/;

/** Parses the passwords of management controllers, keyed by host. Returns undefined if the text is malformed or names a host twice. */
export function readBmcPasswords(text: string): ReadonlyMap<string, string> | undefined {
  const passwords = new Map<string, string>();
  for (const each of text.split("\n").map((raw) => raw.replace(/\r$/, ""))) {
    if (each === "") continue;
    const { name, password } = line.exec(each)?.groups ?? {};
    if (name === undefined || password === undefined || passwords.has(name)) return undefined;
    passwords.set(name, password);
  }
  return passwords;
}
