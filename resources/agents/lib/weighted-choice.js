/**
 * weighted-choice: picks from a table in which some entries are likelier than others.
 * Declare it with "lib weighted-choice" in an agent's manifest; it then is a global.
 *
 *   weightedChoice.pick(table)      one value
 *   weightedChoice.pickN(table, n)  n values, each drawn from the whole table
 *
 * A table is a list of { weight, value }. A weight that is missing or no number counts as 1, one
 * of 0 or less is never drawn. A table from which nothing can be drawn is an Error.
 */
(function (root) {
  "use strict";

  const MOST = 10000; // values of one pickN

  function weightOf(entry) {
    const weight = entry === null || entry === undefined ? 0 : Number(entry.weight ?? 1);
    return Number.isNaN(weight) ? 1 : Math.max(0, weight);
  }

  // The running sums of the weights: a draw is then one search for the first sum above it.
  function sumsOf(table) {
    if (!Array.isArray(table) || table.length === 0) {
      throw new Error("weightedChoice: the table must be a list with at least one entry");
    }
    let total = 0;
    const sums = table.map((entry) => (total += weightOf(entry)));
    if (!(total > 0 && Number.isFinite(total))) {
      throw new Error("weightedChoice: the weights must add up to a number above zero");
    }
    return sums;
  }

  function draw(table, sums) {
    const point = Math.random() * sums[sums.length - 1];
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] > point) high = middle;
      else low = middle + 1;
    }
    return table[low].value;
  }

  function pick(table) {
    return draw(table, sumsOf(table));
  }

  function pickN(table, n) {
    const sums = sumsOf(table);
    const count = Math.min(MOST, Math.max(0, Math.floor(Number(n)) || 0));
    return Array.from({ length: count }, () => draw(table, sums));
  }

  root.weightedChoice = { pick, pickN };
})(typeof globalThis !== "undefined" ? globalThis : this);
