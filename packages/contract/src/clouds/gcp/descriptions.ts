import { toTags } from "./labels.ts";

/**
 * Networks, subnets, firewall rules and routers have no labels, so their description carries the ownership tags. Google Cloud replaces a
 * network or a subnet to change its description, so this format must never change.
 */
const format = /cloudwright:entity=([^\s)]+) cloudwright:part=([^\s)]+)/;

/** Renders the description of a resource that an entity owns. `part` is the resource's name and key in its configuration. */
export function renderDescription(entity: string, part: string): string {
  return `Managed by Cloudwright (cloudwright:entity=${entity} cloudwright:part=${part})`;
}

/** Reads the ownership tags from a description. Returns an empty object if `renderDescription` did not create the description. */
export function parseDescription(description: string): Record<string, string> {
  const [, entity, part] = format.exec(description) ?? [];
  return entity === undefined || part === undefined ? {} : { "cloudwright:entity": entity, "cloudwright:part": part };
}

/** Returns the tags of a resource, whether it carries them in its labels or in its description. */
export function readTags(resource: {
  readonly labels?: Readonly<Record<string, string>>;
  readonly description?: string;
}): Record<string, string> {
  return { ...parseDescription(resource.description ?? ""), ...toTags(resource.labels ?? {}) };
}
