import { expect, test } from "vitest";
import { layOutLayers, type Box, type Link } from "./lay-out-layers.ts";
import { spread } from "./settle.ts";

const box = (id: string, height = 50): Box => ({ id, width: 100, height });
const link = (text: string): Link => ({ from: text.split(">")[0] ?? "", to: text.split(">")[1] ?? "" });
const lay = (ids: string, links: string) =>
  layOutLayers(
    ids.split(" ").map((id) => box(id)),
    links
      .split(" ")
      .filter((text) => text !== "")
      .map(link),
  );
const overlaps = (boxes: ReturnType<typeof lay>["boxes"]): string[] =>
  boxes.flatMap((a) =>
    boxes
      .filter((b) => a.id < b.id && a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
      .map((b) => `${a.id} ${b.id}`),
  );

test("M077 X015 every edge leads from left to right, and boxes do not overlap", () => {
  const ids = Array.from({ length: 60 }, (_, index) => `n${index}`);
  const links = ids.slice(1).map((id, index) => `n${Math.floor(index / 3)}>${id}`);
  const { boxes, width, height } = lay(ids.join(" "), [...links, "n0>n50", "n3>n58"].join(" "));
  const xOf = new Map(boxes.map(({ id, x }) => [id, x]));
  for (const { from, to } of links.map(link)) expect(xOf.get(from)).toBeLessThan(xOf.get(to) ?? 0);
  expect(overlaps(boxes)).toEqual([]);
  expect(boxes).toHaveLength(60);
  for (const { x, y } of boxes) expect([x >= 0, x < width, y >= 0, y < height]).toEqual([true, true, true, true]);
});

test("M077 edges do not cross if avoidable, and long edges go around other boxes", () => {
  const picture = lay("a b c d long", "a>d b>c a>long d>long");
  const yOf = new Map(picture.boxes.map(({ id, y }) => [id, y]));
  expect(Math.sign((yOf.get("a") ?? 0) - (yOf.get("b") ?? 0))).toBe(Math.sign((yOf.get("d") ?? 0) - (yOf.get("c") ?? 0)));
  const [first] = picture.links.find(({ from, to }) => from === "a" && to === "long")?.points ?? [];
  const between = picture.boxes.filter(({ layer }) => layer === 1);
  expect(first).toBeDefined();
  expect(between.filter(({ y, height }) => (first?.y ?? 0) > y && (first?.y ?? 0) < y + height)).toEqual([]);
});

test("M077 a box without predecessors is close to its successors; cycles and unknown boxes are harmless", () => {
  const { boxes } = lay("a b c d late", "a>b b>c c>d late>d");
  expect(boxes.find(({ id }) => id === "late")?.layer).toBe(2);
  expect(lay("a b", "a>b b>a a>a a>unheard").boxes.map(({ layer }) => layer)).toEqual([0, 1]);
  expect(layOutLayers([], [])).toEqual({ boxes: [], links: [], width: 0, height: 0 });
});

test("M077 boxes keep their distance and stay as close as possible to their ideal positions", () => {
  expect(spread([0, 100], [10, 10])).toEqual([0, 100]);
  expect(spread([50, 50, 50], [10, 10, 10])).toEqual([40, 50, 60]);
});
