import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";

/** A provider's address in its parts. */
export interface ProviderAddress {
  readonly host: string;
  readonly namespace: string;
  readonly name: string;
}

/** Reads `host/namespace/name`, or `namespace/name` at the registry that Terraform takes for granted. */
export function parseProviderAddress(text: string): ProviderAddress {
  const pattern = /^(?:(?<host>[a-z0-9][a-z0-9.-]*(?::\d+)?)\/)?(?<namespace>[a-z0-9][a-z0-9_-]*)\/(?<name>[a-z0-9][a-z0-9-]*)$/;
  const parts = pattern.exec(text)?.groups;
  if (parts === undefined) throw new Fault(simulatorFaults.bad_address, `"${text}" is not a provider's address`);
  return { host: parts["host"] ?? hosts[0], namespace: parts["namespace"] as string, name: parts["name"] as string };
}

const hosts = ["registry.terraform.io", "registry.opentofu.org"] as const;

/** Every address that the same `source` line means: Terraform and OpenTofu take different hosts for granted. */
export function listAddresses(text: string): string[] {
  const { host, namespace, name } = parseProviderAddress(text);
  const meant = (hosts as readonly string[]).includes(host) ? hosts : [host];
  return meant.map((each) => `${each}/${namespace}/${name}`);
}
