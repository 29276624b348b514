import { expect, test } from "vitest";
import { parseOwnedId, renderOwnedId } from "./owned-id.ts";

test("M206 the id of a resource names its owner, also after a kill in the middle of its creation", () => {
  const owner = { entityUid: "0199aaaa-0000-7000-8000-0123456789ab", name: "this" };
  expect(parseOwnedId(renderOwnedId(owner))).toEqual(owner);
  expect(renderOwnedId(owner).length).toBeLessThanOrEqual(63);
});

test.each(["", "web", "0199aaaa-0000-7000-8000-0123456789ab", "0199aaaa-0000-7000-8000-0123456789ab-", "x/../y-this"])(
  "M206 %j belongs to no entity",
  (id) => {
    expect(parseOwnedId(id)).toBeUndefined();
  },
);
