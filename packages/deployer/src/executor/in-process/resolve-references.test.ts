import { expect, test } from "vitest";
import { refer } from "./blueprint.ts";
import { resolveReferences } from "./resolve-references.ts";

test("M063 references are resolved at any depth, and unknown ones remain references until the apply", () => {
  const known = { id: "net-1", zones: ["a", "b"] };
  const late = refer("fake_gateway.main", "id");
  const attributes = {
    network: refer("fake_network.main", "id"),
    routes: [{ to: "all", by: late }],
    names: refer("fake_network.main", "zones"),
  };
  const resolved = resolveReferences(attributes, (address) => (address === "fake_network.main" ? known : undefined));
  expect(resolved.value).toEqual({ network: "net-1", routes: [{ to: "all", by: null }], names: ["a", "b"] });
  expect(resolved.open).toEqual({ network: "net-1", routes: [{ to: "all", by: late }], names: ["a", "b"] });
  expect(resolved.unknown).toEqual({ routes: [{ by: true }] });
});
