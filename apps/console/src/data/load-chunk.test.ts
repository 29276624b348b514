import { expect, test, vi } from "vitest";
import { loadChunk } from "./load-chunk.ts";

const gone = (): Promise<never> => Promise.reject(new Error("cannot be fetched"));

test("X002 a page requested while the server is down is shown once the server is back", async () => {
  const load = vi.fn<() => Promise<string>>().mockImplementationOnce(gone).mockImplementationOnce(gone).mockResolvedValue("page");
  const isThere = vi.fn<() => Promise<boolean>>().mockResolvedValueOnce(false).mockResolvedValue(true);
  const pause = vi.fn<() => Promise<void>>().mockResolvedValue(undefined);
  expect(await loadChunk(load, { isThere, pause })).toBe("page");
  expect([load.mock.calls.length, pause.mock.calls.length]).toEqual([3, 1]);
});

test("M015 a missing chunk fails at once while the server is reachable", async () => {
  const load = vi.fn<() => Promise<string>>().mockImplementation(gone);
  const pause = vi.fn<() => Promise<void>>();
  await expect(loadChunk(load, { isThere: () => Promise.resolve(true), pause })).rejects.toThrow("cannot be fetched");
  expect(pause).not.toHaveBeenCalled();
});
