import type { OperationJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import type {
  ListStateResourcesResponseJson,
  StateDiffJson,
  StateJson,
  StateVersionJson,
} from "@cloudwright/contract/gen/cloudwright/v1/state_pb.ts";
import { json, problem, type Asked } from "./wire.ts";

/** A state as stored by the fake server: the content of each version, oldest first. */
export interface FakeState {
  state: StateJson;
  readonly contents: string[];
  readonly diff?: Pick<StateDiffJson, "resources" | "outputs">;
  readonly resources?: ListStateResourcesResponseJson;
  /** The operation to return when a resource is adopted or forgotten. */
  readonly operation?: OperationJson;
}

/** Handles requests for states. Returns undefined for other paths. */
export function answerStates(states: ReadonlyMap<string, FakeState>, { method, path, query, body }: Asked): Response | undefined {
  const match = /^(\/v1\/projects\/[^/]+\/states)(?:\/([^/:]+)(?:[/:](\w+))?)?$/.exec(path);
  if (match === null) return undefined;
  const [, collection = "", uid, what = ""] = match;
  if (uid === undefined) {
    const items = [...states].filter(([at]) => at.startsWith(`${collection}/`)).map(([, { state }]) => state);
    return json(200, { items, nextPageToken: "" });
  }
  const found = states.get(`${collection}/${uid}`);
  if (found === undefined) return problem(404, "api.not_found", `State "${uid}" not found`);
  const newest = found.contents.length;
  const numberOf = (name: string, otherwise: number): number => Number(query.get(name) ?? otherwise);
  if (what === "versions")
    return json(200, { items: found.contents.map((_, index) => renderVersion(index + 1)).toReversed(), nextPageToken: "" });
  if (what === "content") {
    const version = numberOf("version", newest);
    const content = found.contents[version - 1];
    return content === undefined
      ? problem(404, "api.not_found", `StateVersion "${version}" not found`)
      : json(200, { version: renderVersion(version), content });
  }
  if (what === "diff") {
    const to = numberOf("to", newest);
    return json(200, { from: renderVersion(numberOf("from", to - 1)), to: renderVersion(to), ...found.diff });
  }
  if (what === "resources") return json(200, found.resources ?? {});
  return method === "GET" ? json(200, found.state) : act(found, what, body as { force?: boolean; version?: number });
}

function act(found: FakeState, verb: string, { force = false, version = 0 }: { force?: boolean; version?: number }): Response {
  const { lock, ...unlocked } = found.state;
  if (lock?.alive === true && !force)
    return problem(423, "api.state_locked", `the state is locked with the id "${lock.id ?? ""}"`);
  if (verb === "adopt" || verb === "forget") return json(202, found.operation ?? {});
  if (verb === "rollback") {
    found.contents.push(found.contents[version - 1] ?? "");
    found.state = { ...unlocked, newest: { ...renderVersion(found.contents.length), rolledBackTo: version } };
  } else found.state = unlocked;
  return json(200, found.state);
}

function renderVersion(version: number): StateVersionJson {
  return {
    version,
    serial: version,
    lineage: "line-1",
    resources: version,
    sizeBytes: 100,
    createdAt: "2026-01-01T00:00:00Z",
    actor: "agent:ada",
  };
}
