const lookEveryMs = 1000;

/** Dependencies for waiting until the server is reachable. */
interface ChunkDeps {
  isThere(): Promise<boolean>;
  pause(): Promise<void>;
}

const browser: ChunkDeps = {
  isThere: () =>
    fetch("/healthz", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    ),
  pause: () => new Promise((resolve) => setTimeout(resolve, lookEveryMs)),
};

/**
 * Loads a code chunk of the console. Waits while the server is unreachable, because reloading the page would lose it.
 * Throws if the server is reachable but the chunk is missing: then the page belongs to an older console version.
 */
export async function loadChunk<Chunk>(load: () => Promise<Chunk>, deps: ChunkDeps = browser): Promise<Chunk> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (await deps.isThere()) return await load().catch(() => Promise.reject(error));
      await deps.pause();
    }
  }
}
