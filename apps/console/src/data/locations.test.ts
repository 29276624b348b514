import type { AnyEntity, KindName, Stored } from "@cloudwright/api-client";
import { expect, test } from "vitest";
import type { LiveState } from "./live-store.ts";
import { createLocations } from "./locations.ts";

function entity(name: string, spec: object, parent = ""): Stored<AnyEntity> {
  return { metadata: { name, uid: `uid-${name}`, parent }, spec } as Stored<AnyEntity>;
}

const pool = entity("pool", {}, "dev");
const state: Partial<Record<KindName, ReadonlyMap<string, Stored<AnyEntity>>>> = {
  Account: new Map([["1", entity("sim", { aws: {}, simulated: true })]]),
  Network: new Map([["2", entity("main", { account: "sim", region: "eu-west-1" })]]),
  Cluster: new Map([["3", entity("dev", { network: "uid-main" })]]),
};
const locations = createLocations(state as LiveState["kinds"]);

test("M029 an entity has the region of its network and the cloud of its account", () => {
  const here = { cloud: "aws", region: "eu-west-1", simulated: true };
  expect(locations.of("NodePool", pool)).toEqual(here);
  expect(locations.of("Storage", entity("files", { cluster: "dev" }))).toEqual(here);
  expect(locations.find("Network", "main")).toEqual(here);
  expect(locations.find("Account", "sim")).toEqual({ ...here, region: "" });
});

test("M029 an entity with an unknown parent and a kind that is not built have no location", () => {
  const nowhere = { cloud: "", region: "", simulated: false };
  expect(locations.of("Cluster", entity("lost", { network: "gone" }))).toEqual(nowhere);
  expect(locations.of("Environment", entity("prod", {}))).toEqual(nowhere);
});
