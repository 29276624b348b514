import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addKeyClaim, listKeyClaims, removeKeyClaim } from "./authorized-keys.ts";

const key = (name: string): string => `ssh-ed25519 ${"A".repeat(68)} ${name}`;
const line = fc.string({ unit: fc.constantFrom("#", " ", "a", "\r", "\u00ff", "ssh-ed25519 AAAA", "# cloudwright claim x") });
const content = fc.oneof(
  fc.constant(""),
  fc.tuple(fc.array(line), fc.boolean()).map(([lines, ends]) => lines.join("\n") + (ends ? "\n" : "")),
);
const keys = fc.array(fc.constantFrom(key("ann"), key("bob"), key("ops")), { maxLength: 3 });

describe("M198 the keys of a claim", () => {
  test("leave every byte as before, however often they were added and changed", () => {
    fc.assert(
      fc.property(
        fc.option(content, { nil: undefined }),
        fc.boolean(),
        fc.array(keys, { minLength: 1, maxLength: 3 }),
        (text, hasFolder, rounds) => {
          const folder = hasFolder || text !== undefined;
          let now: string | undefined = text;
          for (const each of rounds) {
            now = addKeyClaim({ text: now, hasFolder: folder }, { id: "claim-1", keys: each });
            expect(listKeyClaims(now)).toEqual([{ id: "claim-1", keys: each }]);
          }
          expect(removeKeyClaim(now ?? "", "claim-1")).toEqual({ text, madeFolder: !folder });
        },
      ),
    );
  });

  test("are the same after a repetition", () => {
    const once = addKeyClaim({ text: "a", hasFolder: true }, { id: "c", keys: [key("ann")] });
    expect(addKeyClaim({ text: once, hasFolder: true }, { id: "c", keys: [key("ann")] })).toBe(once);
  });

  test("are removed without touching lines that others have added around them", () => {
    const claimed = addKeyClaim({ text: undefined, hasFolder: false }, { id: "c", keys: [key("ann")] });
    expect(removeKeyClaim(`${key("new")}\n${claimed}${key("bob")}\n`, "c")).toEqual({
      text: `${key("new")}\n${key("bob")}\n`,
      madeFolder: false,
    });
    const unended = addKeyClaim({ text: key("ops"), hasFolder: true }, { id: "c", keys: [] });
    expect(removeKeyClaim(`${unended}${key("bob")}\n`, "c")?.text).toBe(`${key("ops")}\n${key("bob")}\n`);
  });

  test("of other claims are listed and stay", () => {
    const one = addKeyClaim({ text: "", hasFolder: true }, { id: "one", keys: [key("ann")] });
    const both = addKeyClaim({ text: one, hasFolder: true }, { id: "two", keys: [key("bob")] });
    expect(listKeyClaims(both).map(({ id }) => id)).toEqual(["one", "two"]);
    expect(removeKeyClaim(both, "two")?.text).toBe(one);
    expect(removeKeyClaim(both, "three")).toBeUndefined();
    expect(removeKeyClaim("# cloudwright claim one begin\nunfinished", "one")).toBeUndefined();
  });
});
