import { describe, expect, test } from "vitest";
import { changeRecord, type Inventory } from "../inventory/inventory.ts";

/**
 * Defines the contract suite for inventories. `open` returns an empty inventory; repeated calls may return another client for the same
 * cloud.
 */
export function describeInventory(name: string, open: () => Promise<Inventory>): void {
  const record = (id: string, type = "thing") => ({ type, id, attributes: { id, size: 1, tags: ["a"] } });

  describe(`inventory ${name}`, () => {
    test("a record is found by its type and id only", async () => {
      const inventory = await open();
      expect(await inventory.create("t", record("1"))).toBe(true);
      expect(await inventory.find("t", { type: "thing", id: "1" })).toEqual(record("1"));
      expect(await inventory.find("t", { type: "other", id: "1" })).toBeUndefined();
      expect(await inventory.find("t", { type: "thing", id: "2" })).toBeUndefined();
    });

    test("creating an existing key changes nothing", async () => {
      const inventory = await open();
      await inventory.create("t", record("1"));
      expect(await inventory.create("t", { ...record("1"), attributes: { id: "1" } })).toBe(false);
      expect(await inventory.find("t", { type: "thing", id: "1" })).toEqual(record("1"));
    });

    test("when many callers create the same key at once, one succeeds", async () => {
      const inventory = await open();
      const results = await Promise.all(Array.from({ length: 20 }, () => inventory.create("t", record("1"))));
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    test("a record can be replaced, and deleted once", async () => {
      const inventory = await open();
      await inventory.put("t", record("1"));
      await inventory.put("t", { ...record("1"), attributes: { id: "1", size: 2 } });
      expect((await inventory.find("t", { type: "thing", id: "1" }))?.attributes).toEqual({ id: "1", size: 2 });
      expect(await inventory.delete("t", { type: "thing", id: "1" })).toBe(true);
      expect(await inventory.delete("t", { type: "thing", id: "1" })).toBe(false);
      expect(await inventory.list("t")).toEqual([]);
    });

    test("records are listed in order, all or by type", async () => {
      const inventory = await open();
      await Promise.all([record("b"), record("a"), record("c", "other")].map((each) => inventory.put("t", each)));
      expect((await inventory.list("t")).map(({ type, id }) => `${type}/${id}`)).toEqual(["other/c", "thing/a", "thing/b"]);
      expect((await inventory.list("t", "thing")).map(({ id }) => id)).toEqual(["a", "b"]);
    });

    test("a tenant never sees, changes or deletes another tenant's records, whatever their names", async () => {
      const inventory = await open();
      const tenants = ["t", "T", "t/../u", "u", "", "t\n", "constructor", "__proto__"];
      await Promise.all(
        tenants.map((tenant) => inventory.create(tenant, { type: "thing", id: "1", attributes: { owner: tenant } })),
      );
      await inventory.delete("u", { type: "thing", id: "1" });
      for (const tenant of tenants.filter((each) => each !== "u")) {
        expect(await inventory.list(tenant)).toEqual([{ type: "thing", id: "1", attributes: { owner: tenant } }]);
      }
      expect(await inventory.list("u")).toEqual([]);
    });

    test("modifying a record that was passed in or returned does not change the cloud", async () => {
      const inventory = await open();
      const given = record("1");
      await inventory.put("t", given);
      given.attributes.tags.push("b");
      const found = await inventory.find("t", { type: "thing", id: "1" });
      (found as unknown as ReturnType<typeof record>).attributes.tags.push("c");
      expect(await inventory.find("t", { type: "thing", id: "1" })).toEqual(record("1"));
    });

    test("an existing record can drift, a missing one cannot", async () => {
      const inventory = await open();
      await inventory.put("t", record("1"));
      expect(await changeRecord(inventory, "t", { type: "thing", id: "1" }, { size: 9 })).toBe(true);
      expect((await inventory.find("t", { type: "thing", id: "1" }))?.attributes).toEqual({ id: "1", size: 9, tags: ["a"] });
      expect(await changeRecord(inventory, "t", { type: "thing", id: "2" }, { size: 9 })).toBe(false);
    });
  });
}
