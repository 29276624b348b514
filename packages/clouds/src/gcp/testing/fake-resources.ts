import type { AttachedDisk, Disk, Firewall } from "../models.ts";
import { refuse, type Answer, type FakeState } from "./fake-state.ts";
import type { SeenRequest } from "./google-server.ts";

const origin = "https://www.googleapis.com/compute/v1/";

/** Starts an operation and returns the response to the request. */
export type Begin = (target: string, finish: () => void) => Answer;

/** Answers a request for firewall rules. Returns undefined for other requests. */
export function answerFirewalls(state: FakeState, place: string, request: SeenRequest, begin: Begin): Answer | undefined {
  const [isRule, name] = /^global\/firewalls(?:\/([^/]+))?$/.exec(place) ?? [];
  if (isRule === undefined) return undefined;
  const body = (request.body ?? {}) as Firewall;
  const save = (rule: Firewall, key: string): Answer => {
    const selfLink = `${origin}projects/my-project/global/firewalls/${key}`;
    state.firewalls.set(key, { ...rule, name: key, selfLink, network: `${origin}${rule.network ?? ""}` });
    return begin(place, () => undefined);
  };
  if (name === undefined) {
    // Two rules per page, so that tests read every list page by page.
    if (request.method === "GET") return paginate([...state.firewalls.values()], request);
    const key = body.name ?? "";
    if (state.firewalls.has(key)) return refuse(409, "", `The resource '${key}' already exists`, "alreadyExists");
    return save(body, key);
  }
  const rule = state.firewalls.get(name);
  if (rule === undefined) return refuse(404, "NOT_FOUND", `The resource '${place}' was not found`, "notFound");
  if (request.method === "GET") return { status: 200, body: { ...rule } };
  if (request.method === "PUT") return save(body, name);
  return begin(place, () => state.firewalls.delete(name));
}

function paginate(items: readonly object[], { query }: SeenRequest): Answer {
  const from = Number(query["pageToken"]?.[0] ?? 0);
  const more = from + 2 < items.length ? { nextPageToken: String(from + 2) } : {};
  return { status: 200, body: { items: items.slice(from, from + 2), ...more } };
}

/** Answers a request for disks. Returns undefined for other requests, and for boot disks. */
export function answerDisks(state: FakeState, place: string, request: SeenRequest, begin: Begin): Answer | undefined {
  if (place === "aggregated/disks") return listDisks(state, request);
  const [, zone = "", name, verb] = /^zones\/([^/]+)\/disks(?:\/([^/]+))?(?:\/(\w+))?$/.exec(place) ?? [];
  if (zone === "") return undefined;
  const body = (request.body ?? {}) as Disk;
  if (name === undefined) {
    const key = `${zone}/${body.name ?? ""}`;
    if (state.disks.has(key)) return refuse(409, "", `The resource '${key}' already exists`, "alreadyExists");
    const selfLink = `${origin}projects/my-project/zones/${zone}/disks/${body.name ?? ""}`;
    const made = { ...body, selfLink, zone: `${origin}projects/my-project/zones/${zone}`, labelFingerprint: "f" };
    state.disks.set(key, { ...made, status: "CREATING" });
    return begin(key, () => state.disks.set(key, { ...made, status: "READY" }));
  }
  const key = `${zone}/${name}`;
  const disk = state.disks.get(key);
  if (disk === undefined && request.method === "GET" && isBootDisk(state, place)) return bootDisk;
  if (disk === undefined) return refuse(404, "NOT_FOUND", `The resource '${place}' was not found`, "notFound");
  const users = listUsers(state, key);
  if (request.method === "GET") return { status: 200, body: { ...disk, ...(users.length === 0 ? {} : { users }) } };
  if (verb !== undefined) return begin(key, () => state.disks.set(key, { ...disk, ...body }));
  if (users.length > 0) return refuse(400, "", `The disk is in use by ${users[0]}`, "resourceInUseByAnotherResource");
  return begin(key, () => state.disks.delete(key));
}

function isBootDisk(state: FakeState, place: string): boolean {
  const all = [...state.instances.values()].flatMap(({ disks = [] }) => disks);
  return all.some(({ boot, source = "" }) => boot === true && source.endsWith(`/${place}`));
}

const bootDisk: Answer = { status: 200, body: { sourceImage: `${origin}projects/debian-cloud/global/images/debian-12-v1` } };

function listDisks(state: FakeState, { query }: SeenRequest): Answer {
  const [, key = "", value] = /labels\.(\S+) = "([^"]*)"/.exec(query["filter"]?.[0] ?? "") ?? [];
  const items: Record<string, object> = {};
  for (const zone of state.missingZones) items[`zones/${zone}`] = { warning: { code: "UNREACHABLE" } };
  for (const [path, disk] of state.disks) {
    if (disk.labels?.[key] !== value) continue;
    const users = listUsers(state, path);
    items[`zones/${path.split("/")[0]}`] = { disks: [{ ...disk, ...(users.length === 0 ? {} : { users }) }] };
  }
  return { status: 200, body: { items } };
}

function listUsers(state: FakeState, key: string): string[] {
  const path = `projects/my-project/zones/${key.replace("/", "/disks/")}`;
  const users = [...state.instances].filter(([, { disks = [] }]) => disks.some(({ source }) => source === origin + path));
  return users.map(([user]) => `${origin}projects/my-project/zones/${user.replace("/", "/instances/")}`);
}

/** Attaches or detaches a disk of an instance. Returns undefined for other changes. */
export function answerAttachments(
  state: FakeState,
  { key, verb }: { readonly key: string; readonly verb: string },
  { body, query }: SeenRequest,
  begin: Begin,
): Answer | undefined {
  const instance = state.instances.get(key) ?? {};
  const { disks = [] } = instance;
  const set = (changed: readonly AttachedDisk[]): Answer => {
    state.instances.set(key, { ...instance, disks: changed });
    return begin(key, () => undefined);
  };
  if (verb === "detachDisk") {
    const name = query["deviceName"]?.[0];
    const others = disks.filter(({ deviceName }) => deviceName !== name);
    if (others.length === disks.length) return refuse(400, "", "No attached disk found with this device name", "invalid");
    return set(others);
  }
  if (verb !== "attachDisk") return undefined;
  const disk = body as AttachedDisk;
  const path = (disk.source ?? "").replace(/^.*zones\//, "").replace("/disks/", "/");
  if (listUsers(state, path).length > 0)
    return refuse(400, "", `The disk resource '${path}' is already being used`, "resourceInUseByAnotherResource");
  return set([...disks, { ...disk, source: `${origin}${disk.source ?? ""}` }]);
}
