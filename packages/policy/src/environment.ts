import { celEnv, celFunc, CelScalar, isCelList, isCelMap, type CelEnv, type CelFunc } from "@bufbuild/cel";
import { registeredFunctions } from "./functions/registered.ts";
import { Meter } from "./meter.ts";

/** The name of the call that wraps a loop's list. No expression can contain this name. */
export const loopFunction = "@loop";

// These compare everything inside their arguments, unless the first argument is a scalar, which ends every comparison at once.
const comparisons = new Set(["_==_", "_!=_", "@in"]);

// The cost of these grows with the length of the text times the length of the pattern.
const searches = new Set(["matches", "glob"]);

// Evaluation is synchronous and never nested, so only one meter is active at a time.
let meter = new Meter();

/** CEL with our functions, each of which charges the meter for its arguments. */
export const environment: CelEnv = createEnvironment();

/** Evaluates while charging this meter. */
export function onMeter<Result>(own: Meter, evaluate: () => Result): Result {
  meter = own;
  return evaluate();
}

/** Returns whether a function, or a method if it has a target, accepts this number of arguments. */
export function hasFunction(name: string, hasTarget: boolean, args: number): boolean {
  const group = environment.funcs.find(name);
  return (
    group !== undefined && [...group].some((func) => (func.target !== undefined) === hasTarget && func.arguments.length === args)
  );
}

function createEnvironment(): CelEnv {
  const loop = celFunc(loopFunction, [CelScalar.DYN], CelScalar.DYN, (range) => range);
  const all = [...celEnv().funcs, ...registeredFunctions, loop];
  return celEnv({ funcs: all.map(metered) });
}

// All calls except searches are charged afterwards: only then is the overload known, and one call above the limit does no harm.
function metered(func: CelFunc): CelFunc {
  const call: CelFunc["call"] = (id, target, args) => {
    const values = target === undefined ? args : [target, ...args];
    if (searches.has(func.name)) {
      for (const value of values) if (typeof value === "string") meter.payForSearch(value);
    }
    const result = func.call(id, target, args);
    if (result === undefined) return undefined;
    const isDeep = comparisons.has(func.name) && (isCelList(args[0]) || isCelMap(args[0]));
    for (const value of values) {
      if (isDeep) meter.payForAll(value);
      else meter.payFor(value);
    }
    return result;
  };
  return Object.create(func, { call: { value: call } }) as CelFunc;
}
