import { celEnv, celFunc, CelScalar, isCelList, isCelMap, type CelEnv, type CelFunc } from "@bufbuild/cel";
import { registeredFunctions } from "./functions/registered.ts";
import { Meter } from "./meter.ts";

/** Internal function that wraps the list of each comprehension. The name is not valid CEL, so expressions cannot call it. */
export const loopFunction = "@loop";

// Functions that compare nested values recursively. If the first argument is a scalar, the comparison ends immediately.
const comparisons = new Set(["_==_", "_!=_", "@in"]);

// Functions whose cost grows with text length times pattern length.
const searches = new Set(["matches", "glob"]);

// Evaluation is synchronous and never nested, so only one meter is active at a time.
let meter = new Meter();

/** CEL's own functions and those that the platform adds. The arguments of each call count toward the step limit. */
export const environment: CelEnv = createEnvironment();

/** Runs an evaluation whose steps are counted by the given meter. */
export function onMeter<Result>(own: Meter, evaluate: () => Result): Result {
  meter = own;
  return evaluate();
}

/** Returns whether a function (or a method, if `hasTarget`) with this number of arguments exists. */
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

// The steps of a search are counted before the call. The steps of all other calls are counted afterwards, when the overload is known. A
// single call beyond the limit does no harm.
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
