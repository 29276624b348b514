import { textOf } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { ownerTag } from "../../account-view.ts";
import { createCloudFault, isCloudFault, refuseRequest, type CloudFault } from "../../library/errors.ts";
import type { CloudPart, PartAttributes } from "../../library/parts.ts";
import { waitFor } from "../../library/wait-for.ts";
import type { AzureContext } from "../library/context.ts";
import { libraryOperations } from "../library/operations.ts";
import { listWidely } from "../library/read-machines.ts";
import { readReference, renderId } from "../library/references.ts";
import { applicationGroupKind, readPlace, renderPartId, securityGroupKind as kind, spellId } from "./network-parts.ts";
import { checkOwner, sortTexts } from "./part-support.ts";
import {
  isInRange,
  listGroups,
  markerName,
  pickOwn,
  readMarker,
  renderRuleName,
  sharedTag,
  toBlock,
  withOwn,
  withoutGroup,
  type RuleOwner,
  type SecurityRule,
} from "./shared-rules.ts";

const changeMs = 20 * 60_000;
/** How long Azure may not know an application security group that has just been created. */
const settleMs = 60_000;

interface Shared {
  readonly id?: string;
  readonly location?: string;
  readonly etag?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties?: { readonly provisioningState?: string; readonly securityRules?: readonly SecurityRule[] };
}

/** What a change makes of the shared group: new rules, its deletion, or nothing. */
type Decision = { readonly rules: readonly SecurityRule[] } | "delete" | "none";

/**
 * The rules of one security group within the network security group that all groups of a network share, because a network interface can
 * have only one. The ID is that of the rule that denies everything else, which every group has. Attributes: `name`, `resource_group_name`
 * and `location` of the shared group, `security_rule` (blocks sorted by name, without priorities; one must be named `deny-inbound`), and
 * `ordered`, which is true unless somebody has changed a priority.
 *
 * All rules of a change are sent in one conditional request. The first entity creates the shared group, and the last one deletes it.
 */
export function createSecurityRulesPart(context: AzureContext, entityUid: string): CloudPart {
  const { api, clock } = context;
  const pathOf = (id: string): Readonly<Record<string, string>> => {
    const { subscriptionId, resourceGroup, name } = readReference(context, kind, id);
    return { subscriptionId, resourceGroupName: resourceGroup, networkSecurityGroupName: name };
  };
  const find = (groupId: string, signal: AbortSignal): Promise<Shared | undefined> =>
    api.find<Shared>(`read the network security group ${nameOf(groupId)}`, libraryOperations.getSecurityGroup, {
      path: pathOf(groupId),
      signal,
    });
  const spell = (id: string): string => spellId(context, applicationGroupKind, id);

  async function put(
    groupId: string,
    shared: Shared | undefined,
    location: string,
    rules: readonly SecurityRule[],
    signal: AbortSignal,
  ) {
    const headers: Record<string, string> =
      shared === undefined ? { "if-none-match": "*" } : shared.etag === undefined ? {} : { "if-match": shared.etag };
    const tags = { ...shared?.tags, [sharedTag]: nameOf(groupId) };
    const body = { location: shared?.location ?? location, tags, properties: { securityRules: rules } };
    const doing = `change the rules of the network security group ${nameOf(groupId)}`;
    await api.call(doing, libraryOperations.putSecurityGroup, { path: pathOf(groupId), body, headers, signal });
  }

  async function remove(groupId: string, { etag }: Shared, signal: AbortSignal): Promise<void> {
    const headers: Record<string, string> = etag === undefined ? {} : { "if-match": etag };
    const doing = `delete the network security group ${nameOf(groupId)}`;
    await api.complete(doing, libraryOperations.deleteSecurityGroup, { path: pathOf(groupId), headers, signal });
  }

  /**
   * Reads the shared group, decides and sends the change on the condition that nobody else has changed the group meanwhile. Starts over
   * until nothing is left to do.
   */
  async function change(
    groupId: string,
    location: string,
    signal: AbortSignal,
    decide: (rules: readonly SecurityRule[], exists: boolean) => Decision,
  ): Promise<void> {
    let refusal: CloudFault | undefined;
    let isRepeated = false;
    const startMs = clock.now();
    const isPassing = (error: unknown): error is CloudFault =>
      isCloudFault(error, "conflict") ||
      (isCloudFault(error) && error.extra.nativeCode === "InvalidResourceReference" && clock.now() - startMs < settleMs);
    try {
      await waitFor(clock, {
        cloud: "azure",
        timeoutMs: changeMs,
        signal,
        describe: () => `the network security group ${nameOf(groupId)} is still being changed`,
        async read() {
          const shared = await find(groupId, signal);
          const { provisioningState = "Succeeded", securityRules = [] } = shared?.properties ?? {};
          if (["Updating", "Deleting"].includes(provisioningState)) return false;
          if (shared !== undefined) checkShared(groupId, shared);
          const decision = decide(securityRules, shared !== undefined);
          const isFailed = provisioningState === "Failed";
          if (decision === "none" && !isFailed) return true;
          if (isFailed && isRepeated) throw refuseFailed(groupId);
          isRepeated = isFailed;
          try {
            if (decision === "delete") await remove(groupId, shared ?? {}, signal);
            else await put(groupId, shared, location, decision === "none" ? securityRules : decision.rules, signal);
          } catch (error) {
            if (!isPassing(error)) throw error;
            refusal = error;
          }
          return false;
        },
        isDone: (isOver) => isOver,
      });
    } catch (error) {
      // Azure's reason is more helpful than the timeout.
      if (isCloudFault(error, "timeout") && refusal !== undefined) throw refusal;
      throw error;
    }
  }

  async function write(groupId: string, attributes: PartAttributes, owner: RuleOwner, signal: AbortSignal): Promise<void> {
    const desired = attributes["security_rule"];
    await change(groupId, textOf(attributes["location"]), signal, (rules) => {
      const next = withOwn(rules, owner, desired);
      return isEqual(rules, next) ? "none" : { rules: next };
    });
  }

  const isEqual = (now: readonly SecurityRule[], next: readonly SecurityRule[]): boolean => {
    const render = (rules: readonly SecurityRule[]) =>
      rules
        .map((rule) => ({
          ...toBlock(rule, { uid: "", part: "" }, (id) => id.toLowerCase()),
          name: rule.name?.toLowerCase(),
          priority: rule.properties?.priority,
        }))
        .toSorted((one, other) => ((one.name ?? "") < (other.name ?? "") ? -1 : 1));
    return isDeepStrictEqual(render(now), render(next));
  };

  async function read(id: string, signal: AbortSignal): Promise<PartAttributes | undefined> {
    const { groupId, owner } = readRuleId(context, id);
    const shared = await find(groupId, signal);
    const own = pickOwn(shared?.properties?.securityRules ?? [], owner.uid);
    if (shared === undefined || listGroups(own).length === 0) return undefined;
    const blocks = own.map((rule) => toBlock(rule, owner, spell));
    return {
      ...readPlace(context, kind, shared),
      security_rule: blocks.toSorted((one, other) => (textOf(one["name"]) < textOf(other["name"]) ? -1 : 1)),
      network_security_group_id: groupId,
      ordered: own.every(isInRange),
      ready: shared.properties?.provisioningState === "Succeeded",
      failed: false,
    };
  }

  async function get(id: string, signal: AbortSignal): Promise<PartAttributes> {
    const found = await read(id, signal);
    if (found !== undefined) return found;
    throw createCloudFault(`the rules ${id} do not exist`, { cloud: "azure", category: "not_found" });
  }

  return {
    name: "azurerm_network_security_group",
    immutable: ["name", "resource_group_name", "location"],
    async create(attributes, { entityUid: uid, name: part }, signal) {
      requireMarker(attributes);
      const groupId = renderPartId(context, kind, attributes);
      await write(groupId, attributes, { uid, part }, signal);
      const id = renderRuleId(groupId, { uid, part });
      return { id, attributes: await get(id, signal) };
    },
    read,
    async update(id, attributes, signal) {
      const { groupId, owner } = readRuleId(context, id);
      const now = await get(id, signal);
      const desired = { ...now, ...attributes };
      requireMarker(desired);
      await write(groupId, desired, owner, signal);
      return get(id, signal);
    },
    async delete(id, signal) {
      const {
        groupId,
        owner: { uid },
      } = readRuleId(context, id);
      checkOwner(`the rules ${id}`, { [ownerTag]: uid }, entityUid);
      await change(groupId, "", signal, (rules, exists) => {
        if (!exists) return "none";
        const left = withoutGroup(rules, uid);
        // The rules stay until the shared group is gone, so that an interrupted deletion can be repeated.
        if (listGroups(left).length === 0) return "delete";
        return left.length === rules.length ? "none" : { rules: left };
      });
    },
    async listOwned(uid, signal) {
      const { listSecurityGroups, listGroupSecurityGroups } = libraryOperations;
      const what = "network security groups";
      const found = await listWidely<Shared>(context, what, listSecurityGroups, listGroupSecurityGroups, signal);
      return found
        .filter(({ tags }) => tags?.[sharedTag] !== undefined)
        .flatMap(({ id = "", properties }) =>
          listGroups(properties?.securityRules ?? [])
            .filter((group) => group.uid === uid)
            .map((owner) => ({ id: renderRuleId(spellId(context, kind, id), owner), name: owner.part })),
        );
    },
    async findOwner(id, signal) {
      return (await read(id, signal)) === undefined ? undefined : readRuleId(context, id).owner.uid;
    },
  };
}

/** Throws `clouds.conflict` if a network security group of the same name is not one that security groups share. */
function checkShared(groupId: string, { tags }: Shared): void {
  if (tags?.[sharedTag] !== undefined) return;
  const message = `the network security group ${groupId} exists and does not have the tag ${sharedTag}; delete or rename it first`;
  throw createCloudFault(message, { cloud: "azure", category: "conflict" });
}

function refuseFailed(groupId: string): Error {
  const message = `the last change of the network security group ${groupId} failed in Azure; look at its activity log, and retry`;
  return createCloudFault(message, { cloud: "azure", category: "conflict" });
}

function requireMarker(attributes: PartAttributes): void {
  const rules = attributes["security_rule"];
  const names = sortTexts(Array.isArray(rules) ? rules.map((rule) => textOf((rule as PartAttributes)["name"])) : []);
  if (names.includes(markerName)) return;
  throw refuseRequest("azure", `security_rule needs a rule with the name ${markerName}`);
}

function nameOf(id: string): string {
  return id.split("/").at(-1) ?? "";
}

function renderRuleId(groupId: string, owner: RuleOwner): string {
  return `${groupId}/securityRules/${renderRuleName(owner, markerName)}`;
}

function readRuleId(context: AzureContext, id: string): { readonly groupId: string; readonly owner: RuleOwner } {
  const { group = "", rule = "" } = /^(?<group>.+)\/securityRules\/(?<rule>[^/]+)$/i.exec(id)?.groups ?? {};
  const owner = readMarker(rule);
  if (owner === undefined) {
    const form = `<ID of the network security group>/securityRules/${renderRuleName({ uid: "<uid>", part: "this" }, markerName)}`;
    throw refuseRequest("azure", `"${id}" is not the ID of a security group's rules; use ${form}`);
  }
  const { isExact: _exact, ...place } = readReference(context, kind, group);
  return { groupId: renderId(place, kind.type), owner };
}
