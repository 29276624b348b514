const lookEveryMs = 1000;

/** What is needed to wait for a server. */
interface PieceDeps {
  isThere(): Promise<boolean>;
  pause(): Promise<void>;
}

const browser: PieceDeps = {
  isThere: () =>
    fetch("/healthz", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    ),
  pause: () => new Promise((resolve) => setTimeout(resolve, lookEveryMs)),
};

/**
 * Loads a piece of the console. While the server is away it is waited for, since a page that is loaded anew then would be lost; a piece that
 * is missing although the server is there belongs to an older console, and fails.
 */
export async function loadPiece<Piece>(load: () => Promise<Piece>, deps: PieceDeps = browser): Promise<Piece> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (await deps.isThere()) return await load().catch(() => Promise.reject(error));
      await deps.pause();
    }
  }
}
