// The layers of a model as a tree, with what each takes.

/** @typedef {import('./data.js').Plan} Plan */
/** @typedef {import('./data.js').Values} Values */

/**
 * @typedef {object} Layer
 * @property {string} path
 * @property {string} name the last part of the path
 * @property {number} depth
 * @property {Layer[]} children
 * @property {number} parameters elements
 * @property {number} kept bytes that the forward pass keeps
 * @property {number} recomputed bytes of what is computed again
 * @property {number} flops of a step without recomputations
 * @property {number} cost of all kernels in a step, recomputations among them
 * @property {number} again of these, the cost of recomputations
 */

/**
 * Parts of a path; a number belongs to what it counts.
 *
 * @param {string} path
 */
export function parts(path) {
  /** @type {string[]} */
  const found = [];
  for (const part of path === '' ? [] : path.split('.')) {
    if (/^\d+$/.test(part) && found.length > 0) {
      found[found.length - 1] += `.${part}`;
    } else {
      found.push(part);
    }
  }
  return found;
}

/**
 * @param {string} path
 * @param {string} name
 * @param {number} depth
 * @returns {Layer}
 */
function empty(path, name, depth) {
  return { path, name, depth, children: [], parameters: 0, kept: 0, recomputed: 0, flops: 0, cost: 0, again: 0 };
}

/**
 * The tree of a plan; every layer has what is in it and in all layers inside it.
 *
 * @param {Values} values
 * @param {Plan} plan
 * @param {Set<number>} parameters values that are parameters
 * @returns {Layer} the whole model
 */
export function layerTree(values, plan, parameters) {
  const root = empty('', '', 0);
  /** @type {Map<string, Layer[]>} each with the layers around it, outermost first */
  const known = new Map([['', [root]]]);

  /** @param {string} path */
  function around(path) {
    let chain = known.get(path);
    if (chain === undefined) {
      chain = [root];
      let reached = '';
      for (const part of parts(path)) {
        reached = reached === '' ? part : `${reached}.${part}`;
        /** @type {Layer} */
        const there = known.get(reached)?.at(-1) ?? empty(reached, part, chain.length);
        if (!known.has(reached)) {
          /** @type {Layer} */ (chain.at(-1)).children.push(there);
          known.set(reached, [...chain, there]);
        }
        chain = [...chain, there];
      }
      known.set(path, chain);
    }
    return chain;
  }

  for (let v = 0; v < values.count; v++) {
    around(values.scope[v]).forEach((layer) => {
      layer.flops += values.flops[v];
    });
  }
  plan.stepValue.forEach((value, step) => around(values.scope[value]).forEach((layer) => {
    const cost = plan.stepTimes[step] * plan.stepCost[step];
    layer.cost += cost;
    layer.again += plan.stepAgain[step] ? cost : 0;
  }));
  plan.retained.forEach((_, value) => around(values.scope[value]).forEach((layer) => {
    layer.kept += values.size[value];
  }));
  plan.recomputed.forEach((_, value) => around(values.scope[value]).forEach((layer) => {
    layer.recomputed += values.size[value];
  }));
  for (const value of parameters) {
    const name = values.name[value];
    const owner = name.slice(0, Math.max(0, name.lastIndexOf('.')));
    around(known.has(owner) ? owner : '').forEach((layer) => {
      layer.parameters += values.elements[value];
    });
  }
  return root;
}

/**
 * Those of a tree that are seen, from top to bottom.
 *
 * @param {Layer} layer
 * @param {Set<string>} open paths of layers whose children are seen
 * @returns {Layer[]}
 */
export function seen(layer, open) {
  return [layer, ...(open.has(layer.path) ? layer.children.flatMap((child) => seen(child, open)) : [])];
}

/**
 * What a layer's picture shows: its values and, as one each, the layers right inside it, with who reads whom.
 *
 * @param {Values} values
 * @param {string} path
 * @param {number} forward the phase whose values are shown
 */
export function layerGraph(values, path, forward) {
  const depth = parts(path).length;
  const prefix = path === '' ? '' : `${path}.`;
  /**
   * @param {number} value
   * @returns {string | null} a path of a layer, or `#` and the first result of a node; null outside
   */
  const item = (value) => {
    const scope = values.scope[value];
    if (scope === path) {
      return `#${values.node(value)}`;
    }
    return scope.startsWith(prefix) ? parts(scope).slice(0, depth + 1).join('.') : null;
  };
  /** @type {Set<string>} */
  const items = new Set();
  /** @type {Map<string, { from: string, to: string, values: number[] }>} */
  const edges = new Map();
  for (let v = 0; v < values.count; v++) {
    const isInput = values.op[v] === 'input';
    // Parameters have a layer's name; only the batch comes from outside.
    if (values.phase[v] !== forward || (isInput && values.name[v].includes('.'))) {
      continue;
    }
    const from = isInput ? null : item(v);
    if (from !== null) {
      items.add(from);
    }
    for (const reader of values.consumers[v].filter((each) => values.phase[each] === forward)) {
      const to = item(reader);
      if (to !== from) {
        const source = from ?? `<${isInput ? v : values.node(v)}`;
        const goal = to ?? '>';
        const edge = edges.get(`${source} ${goal}`) ?? { from: source, to: goal, values: [] };
        edge.values.push(v);
        edges.set(`${source} ${goal}`, edge);
        items.add(source);
        items.add(goal);
      }
    }
  }
  return { items: [...items], edges: [...edges.values()] };
}
