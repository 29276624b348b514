const turns = new Map<string, Promise<unknown>>();

/** Runs an action after all earlier actions with the same name have ended. Actions in other processes are not synchronised. */
export async function inTurn<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
  const turn = (turns.get(name) ?? Promise.resolve()).then(act, act);
  turns.set(name, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
  }
}
