import { listOf, numberOf, objectOf, textOf, textsOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { parseDescription, renderDescription } from "@cloudwright/contract/clouds/gcp/descriptions";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { ownerTag, partTag } from "../../account-view.ts";
import { createCloudFault, isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes } from "../../library/parts.ts";
import type { Firewall } from "../models.ts";
import { lastPart, toResourceId } from "../resource-names.ts";
import { runChange } from "../library/compute-changes.ts";
import type { GcpContext } from "../library/context.ts";
import { toRequestId } from "../library/create-instance.ts";
import { pathOf } from "../library/references.ts";
import type { PartScope } from "./part-support.ts";

const timeoutMs = 10 * 60_000;

/**
 * Firewall rules of a VPC network. The ID is `projects/p/global/firewalls/f`. Attributes: `name`, `network` (a path), `direction` (`INGRESS`
 * or `EGRESS`), `priority`, `source_ranges`, `source_tags`, `destination_ranges`, `target_tags` (sorted lists), `allow` and `deny` (lists of
 * blocks with `protocol` and `ports`, of which one is empty), and `disabled`. Firewall rules have no labels, so their description records
 * the owner.
 */
export function createFirewallPart(context: GcpContext, { entityUid }: PartScope): CloudPart {
  const find = (id: string, signal: AbortSignal): Promise<Firewall | undefined> =>
    context.api.find<Firewall>(`read the firewall rule ${lastPart(id)}`, {
      service: "compute",
      action: "firewalls.get",
      path: readId(id),
      signal,
    });
  return {
    name: "google_compute_firewall",
    immutable: ["name", "network", "direction", "failed"],
    async create(attributes, owner, signal) {
      const name = textOf(attributes["name"]);
      const collection = `projects/${context.project}/global/firewalls`;
      const id = `${collection}/${name}`;
      const existing = await find(id, signal);
      if (existing === undefined) {
        const description = renderDescription(owner.entityUid, `this/${owner.name}`);
        const body = { ...renderFirewall(attributes), name, description };
        const requestId = toRequestId(`${owner.token} firewall`);
        const doing = `create the firewall rule ${name}`;
        const change = { doing, action: "firewalls.insert", method: "POST", path: collection, requestId, body } as const;
        await runChange(context, change, { signal, timeoutMs }).catch(async (error: unknown) => {
          const taken = isCloudFault(error, "conflict", "unavailable") ? await find(id, signal) : undefined;
          if (taken === undefined) throw error;
          checkTaken(name, taken, owner.entityUid);
        });
      } else checkTaken(name, existing, owner.entityUid);
      const made = await find(id, signal);
      return { id, attributes: made === undefined ? attributes : toAttributes(made) };
    },
    async read(id, signal) {
      const found = await find(id, signal);
      return found === undefined ? undefined : toAttributes(found);
    },
    async update(id, attributes, signal) {
      const found = await find(id, signal);
      if (found === undefined) throw createCloudFault(`there is no firewall rule ${id}`, { cloud: "gcp", category: "not_found" });
      const now = toAttributes(found);
      if (isDeepStrictEqual({ ...now, ...attributes }, now)) return now;
      // The request replaces the whole rule. A description that it omits would be removed, and with it the owner.
      const body = { ...renderFirewall({ ...now, ...attributes }), name: lastPart(id), description: found.description ?? "" };
      const doing = `change the firewall rule ${lastPart(id)}`;
      const requestId = randomUUID();
      const change = { doing, action: "firewalls.update", method: "PUT", path: readId(id), requestId, body } as const;
      await runChange(context, change, { signal, timeoutMs });
      return toAttributes((await find(id, signal)) ?? found);
    },
    async delete(id, signal) {
      const found = await find(id, signal);
      if (found === undefined) return;
      const owner = ownerOf(found);
      if (owner !== undefined && owner !== entityUid) throw refuseOther(lastPart(id));
      const doing = `delete the firewall rule ${lastPart(id)}`;
      const requestId = randomUUID();
      const change = { doing, action: "firewalls.delete", method: "DELETE", path: readId(id), requestId } as const;
      await runChange(context, change, { signal, timeoutMs }).catch((error: unknown) => {
        if (!isCloudFault(error, "not_found")) throw error;
      });
    },
    async listOwned(uid, signal) {
      const pages = await context.api.listPages<{ readonly items?: readonly Firewall[] }>("list the firewall rules", {
        service: "compute",
        action: "firewalls.list",
        path: `projects/${context.project}/global/firewalls`,
        signal,
      });
      const own = pages.flatMap(({ items = [] }) => items).filter((rule) => ownerOf(rule) === uid);
      return own.map(({ selfLink, description = "" }) => ({
        id: toResourceId(selfLink),
        name: (parseDescription(description)[partTag] ?? "").replace(/^[^/]*\//, ""),
      }));
    },
    async findOwner(id, signal) {
      const found = await find(id, signal);
      return found === undefined ? undefined : ownerOf(found);
    },
  };
}

function readId(id: string): string {
  if (/^projects\/[^/]+\/global\/firewalls\/[a-z][-a-z0-9]*$/.test(id)) return id;
  throw refuseRequest("gcp", `"${id}" is not a firewall rule's ID; use projects/p/global/firewalls/f`);
}

function ownerOf({ description = "" }: Firewall): string | undefined {
  return parseDescription(description)[ownerTag];
}

function checkTaken(name: string, rule: Firewall, entityUid: string): void {
  if (ownerOf(rule) !== entityUid) throw refuseOther(name);
}

function refuseOther(name: string) {
  return createCloudFault(`the firewall rule ${name} does not belong to this entity`, { cloud: "gcp", category: "conflict" });
}

function renderFirewall(attributes: PartAttributes): Firewall {
  const isIngress = attributes["direction"] === "INGRESS";
  const texts = (name: string): string[] => textsOf(attributes[name]);
  const [ranges, tags, allowed] = [texts("source_ranges"), texts("source_tags"), renderTraffic(attributes["allow"])];
  // Compute Engine would use 0.0.0.0/0 instead.
  if ((isIngress ? [...ranges, ...tags] : texts("destination_ranges")).length === 0)
    throw refuseRequest("gcp", `the firewall rule ${textOf(attributes["name"])} has neither sources nor destinations`);
  return {
    network: textOf(attributes["network"]),
    direction: textOf(attributes["direction"]),
    priority: numberOf(attributes["priority"]),
    disabled: attributes["disabled"] === true,
    targetTags: texts("target_tags"),
    ...(isIngress && ranges.length > 0 ? { sourceRanges: ranges } : {}),
    ...(isIngress && tags.length > 0 ? { sourceTags: tags } : {}),
    ...(isIngress ? {} : { destinationRanges: texts("destination_ranges") }),
    ...(allowed.length > 0 ? { allowed } : { denied: renderTraffic(attributes["deny"]) }),
  };
}

function renderTraffic(blocks: Json | undefined): { readonly IPProtocol: string; readonly ports?: readonly string[] }[] {
  return listOf(blocks)
    .map(objectOf)
    .map(({ protocol, ports }) => ({
      IPProtocol: textOf(protocol),
      ...(listOf(ports).length === 0 ? {} : { ports: textsOf(ports) }),
    }));
}

function toAttributes(rule: Firewall): PartAttributes {
  const { sourceRanges = [], sourceTags = [], destinationRanges = [], targetTags = [], allowed = [], denied = [] } = rule;
  // Compute Engine accepts a single address without a prefix length.
  const ranges = (all: readonly string[]): string[] =>
    all.map((range) => (/[/:]/.test(range) ? range : `${range}/32`)).toSorted();
  const traffic = (blocks: NonNullable<Firewall["allowed"]>): JsonObject[] =>
    blocks.map(({ IPProtocol = "", ports = [] }) => ({ protocol: IPProtocol, ports: [...ports] }));
  return {
    name: rule.name ?? "",
    network: pathOf(rule.network ?? ""),
    direction: rule.direction ?? "INGRESS",
    priority: rule.priority ?? 1000,
    source_ranges: ranges(sourceRanges),
    source_tags: [...sourceTags].toSorted(),
    destination_ranges: ranges(destinationRanges),
    target_tags: [...targetTags].toSorted(),
    allow: traffic(allowed),
    deny: traffic(denied),
    disabled: rule.disabled ?? false,
    ready: true,
    failed: false,
  };
}
