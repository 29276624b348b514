import { listOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf, numberOf } from "../../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../../values/value.ts";
import { numericId } from "../../place.ts";
import { idIn, paths } from "../../resource.ts";
import { findRepeated, renderOperation, tokenOf } from "./compute-operations.ts";
import {
  getRecord,
  linkOf,
  listHere,
  operate,
  parameterOf,
  refuseValue,
  renderList,
  requireIdle,
  scopePath,
} from "./compute-records.ts";

const type = "google_compute_firewall";
const collection = "/global/firewalls";
const one = `${collection}/{firewall}`;
const update = { type, operation: "update" } as const;

type Fields = Readonly<Record<string, unknown>>;

/** Operations on firewall rules. */
export const firewallOperations: readonly ApiOperation[] = [
  operate("firewalls.insert", ["POST", collection], { type, operation: "create" }, async (call) => {
    const body = objectOf(call.body);
    const { name, network, direction } = body;
    const config = {
      ...writeRule(body),
      name: textOf(name),
      project: parameterOf(call, "project"),
      network: idIn(paths.network)(textOf(network) || "default", placeOf(call)),
      direction: textOf(direction) || "INGRESS",
    };
    const note = { name: "insert", token: tokenOf(call), request: body, beyond: { api_created_ms: Math.floor(call.nowMs) } };
    return renderOperation(call, (await call.operations.create(type, config, note)).operation);
  }),
  operate("firewalls.get", ["GET", one], { type, operation: "read" }, async (call) => renderRule(await getRule(call))),
  operate("firewalls.list", ["GET", collection], { type, operation: "read" }, async (call) =>
    renderList(call, "firewallList", (await listHere(call, type)).map(renderRule), `${scopePath(call)}/firewalls`),
  ),
  operate("firewalls.update", ["PUT", one], update, (call) => change(call, "update", (_rule, body) => body)),
  operate("firewalls.patch", ["PATCH", one], update, (call) =>
    change(call, "patch", (rule, body) => ({ ...renderRule(rule), ...body })),
  ),
  operate("firewalls.delete", ["DELETE", one], { type, operation: "delete" }, async (call) => {
    const repeated = findRepeated(call, "delete", type);
    if (repeated !== undefined) return renderOperation(call, repeated);
    const rule = await getRule(call);
    requireIdle(call, rule);
    return renderOperation(call, await call.operations.delete(rule, { name: "delete", token: tokenOf(call) }));
  }),
];

function placeOf(call: ApiCall) {
  return { project: parameterOf(call, "project"), region: "", zone: "" };
}

async function getRule(call: ApiCall): Promise<CloudRecord> {
  return getRecord(call, type, `${scopePath(call)}/firewalls/${parameterOf(call, "firewall")}`);
}

async function change(call: ApiCall, name: string, merge: (rule: CloudRecord, body: Fields) => Fields): Promise<unknown> {
  const repeated = findRepeated(call, "update", type);
  if (repeated !== undefined) return renderOperation(call, repeated);
  const rule = await getRule(call);
  requireIdle(call, rule);
  const body = merge(rule, objectOf(call.body));
  const { network, direction } = rule.attributes;
  const [own, wanted] = [network, body["network"]].map((each) => idIn(paths.network)(textOf(each), placeOf(call)));
  if (body["network"] !== undefined && own !== wanted)
    refuseValue("Invalid value for field 'resource.network': it cannot change.");
  const patch = writeRule({ ...body, direction });
  const note = { name, token: tokenOf(call), request: [name, patch] };
  return renderOperation(call, (await call.operations.update(rule, patch, note)).operation);
}

const tagPattern = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Returns the attributes that a request sets, other than the name and the network. */
function writeRule(request: Fields): ValueMap {
  const { direction, priority, description, disabled, allowed, denied } = request;
  const texts = (name: string): string[] => textsOf(request[name]);
  const isEgress = direction === "EGRESS";
  if (isEgress && texts("sourceRanges").length + texts("sourceTags").length > 0)
    refuseValue("Invalid value for field 'resource.sourceRanges': sources are not allowed for the direction EGRESS.");
  for (const [field, most] of [
    ["sourceTags", 30],
    ["targetTags", 70],
  ] as const) {
    const wrong = texts(field).find((tag) => !tagPattern.test(tag));
    if (wrong !== undefined)
      refuseValue(
        `Invalid value for field 'resource.${field}[0]': '${wrong.slice(0, 100)}'. Must be a match of regex '${tagPattern.source}'`,
      );
    if (texts(field).length > most) refuseValue(`Invalid value for field 'resource.${field}': at most ${most} tags are allowed.`);
  }
  const isOpen = !isEgress && texts("sourceRanges").length + texts("sourceTags").length === 0;
  return {
    priority: priority === undefined ? 1000 : Number(priority),
    description: textOf(description),
    disabled: disabled === true,
    source_ranges: isOpen ? ["0.0.0.0/0"] : texts("sourceRanges"),
    source_tags: texts("sourceTags"),
    target_tags: texts("targetTags"),
    ...(isEgress
      ? { destination_ranges: texts("destinationRanges").length > 0 ? texts("destinationRanges") : ["0.0.0.0/0"] }
      : {}),
    allow: writeTraffic("allowed", allowed),
    deny: writeTraffic("denied", denied),
  };
}

function writeTraffic(field: string, blocks: unknown): Value {
  return listOf(blocks)
    .map(objectOf)
    .map(({ IPProtocol, ports }, index) => {
      const at = `resource.${field}[${index}]`;
      const protocol = textOf(IPProtocol).toLowerCase();
      if (!/^(all|tcp|udp|icmp|esp|ah|sctp|ipip|\d{1,3})$/.test(protocol))
        refuseValue(`Invalid value for field '${at}.IPProtocol': '${protocol.slice(0, 50)}'.`);
      const wrong = textsOf(ports).find((port) => !isPorts(port) || !["tcp", "udp", "sctp", "6", "17"].includes(protocol));
      if (wrong !== undefined) refuseValue(`Invalid value for field '${at}.ports[0]': '${wrong.slice(0, 50)}'.`);
      return { protocol, ports: textsOf(ports) };
    });
}

function isPorts(text: string): boolean {
  const [, first = "", last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  return first !== "" && Number(first) <= Number(last) && Number(last) <= 65_535;
}

function renderRule({ id, attributes }: CloudRecord): Record<string, unknown> {
  const [, project = ""] = id.split("/");
  const list = (name: string, attribute: string): Fields => {
    const found = textsOf(attributes[attribute]);
    return found.length === 0 ? {} : { [name]: found };
  };
  return {
    kind: "compute#firewall",
    id: numericId(id),
    creationTimestamp: textOf(attributes["creation_timestamp"]) || undefined,
    name: textOf(attributes["name"]),
    description: textOf(attributes["description"]) || undefined,
    network: linkOf(idIn(paths.network)(textOf(attributes["network"]), { project, region: "", zone: "" })),
    direction: textOf(attributes["direction"]) || "INGRESS",
    priority: numberOf(attributes["priority"]),
    ...list("sourceRanges", "source_ranges"),
    ...list("sourceTags", "source_tags"),
    ...list("targetTags", "target_tags"),
    ...list("destinationRanges", "destination_ranges"),
    ...renderTraffic("allowed", attributes["allow"]),
    ...renderTraffic("denied", attributes["deny"]),
    disabled: attributes["disabled"] === true,
    logConfig: { enable: false },
    selfLink: linkOf(id),
  };
}

function renderTraffic(field: string, blocks: Value | undefined): Fields {
  const all = (isList(blocks) ? blocks : []).map(mapOf).map((block) => {
    const ports = textsOf(block["ports"]);
    return { IPProtocol: textOf(block["protocol"]), ...(ports.length === 0 ? {} : { ports }) };
  });
  return all.length === 0 ? {} : { [field]: all };
}
