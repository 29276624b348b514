const lookEveryMs = 1000;

/** Functions that check whether the server is reachable and that wait between checks. */
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
 * Loads a code chunk of the console. Waits while the server is unreachable, because reloading the page would lose its state. Throws if
 * the server is reachable but the chunk is missing, which means that the page is from an older version of the console.
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
