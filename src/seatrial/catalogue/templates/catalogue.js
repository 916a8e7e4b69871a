'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const one = selector => document.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const NONE = '–';
  const VERDICTS = ['pass', 'pass with waivers', 'fail', 'unknown', 'skipped'];

  // Every text enters the page as text, never as markup.
  function element(tag, text = '', attributes = {}) {
    const made = document.createElement(tag);
    made.textContent = text;
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    return made;
  }

  // ---- filters

  const rows = all('#table tbody tr');
  const choices = all('[data-filter]');
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));

  function chosen(key) {
    const choice = choices.find(item => item.dataset.filter === key);
    return choice.value === '' ? null : choice.value.slice(1);
  }

  const fits = (item, key, wanted) => wanted === null || item.dataset[key] === wanted;

  function isShown(row) {
    const from = one('[data-from]')?.value ?? '';
    const to = one('[data-to]')?.value ?? '';
    const words = one('[data-text]').value.toLowerCase().split(/\s+/).filter(Boolean);
    const day = row.dataset.day;
    const hasDate = day !== '' || (from === '' && to === '');
    return hasDate && (from === '' || day >= from) && (to === '' || day <= to) &&
      choices.every(item => fits(row, item.dataset.filter, chosen(item.dataset.filter))) &&
      words.every(word => texts.get(row).includes(word));
  }

  function filterTrends() {
    all('.study').forEach(item => { item.hidden = !fits(item, 'study', chosen('study')); });
    all('.trend [data-profile]').forEach(item => {
      const isFitting = fits(item, 'profile', chosen('profile')) &&
        fits(item, 'environment', chosen('environment'));
      item.toggleAttribute('hidden', !isFitting);
    });
  }

  function filter() {
    rows.forEach(row => { row.hidden = !isShown(row); });
    const shown = rows.filter(row => !row.hidden).length;
    one('[data-shown]').textContent = `${shown} of ${rows.length} runs shown`;
    filterTrends();
  }

  // ---- order

  const heads = all('#table thead th');

  function valueOf(row, column) {
    const cell = row.cells[column];
    if ('numberSort' in cell.dataset) { return Number(cell.dataset.numberSort); }
    return cell.dataset.sort ?? null;
  }

  // Rows without a value are last in both directions.
  function compareValues(a, b, sign) {
    if (a === null || b === null) { return (a === null) - (b === null); }
    if (typeof a === 'number') { return sign * (a - b); }
    return sign * a.localeCompare(b, 'en', {numeric: true});
  }

  function sortBy(head) {
    const column = heads.indexOf(head);
    const isAscending = head.getAttribute('aria-sort') === 'ascending';
    const sign = isAscending ? -1 : 1;
    heads.forEach(item => item.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', isAscending ? 'descending' : 'ascending');
    const number = row => Number(row.dataset.number);
    const sorted = [...rows].sort((a, b) =>
      compareValues(valueOf(a, column), valueOf(b, column), sign) || number(a) - number(b));
    one('#table tbody').append(...sorted);
  }

  function addSorting(head) {
    const button = element('button', head.textContent, {type: 'button'});
    button.addEventListener('click', () => sortBy(head));
    head.replaceChildren(button);
  }

  // ---- comparison

  function table(title, headings, lines) {
    const made = element('table');
    const head = element('tr');
    head.append(...headings.map(text => element('th', text, {scope: 'col'})));
    const top = element('thead');
    top.append(head);
    const body = element('tbody');
    lines.forEach(([name, ...cells]) => {
      const line = element('tr');
      line.append(element('th', name, {scope: 'row'}), ...cells);
      body.append(line);
    });
    made.append(element('caption', title), top, body);
    const region = element('div', '', {
      class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title,
    });
    region.append(made);
    return region;
  }

  function cell(...parts) {
    const made = element('td');
    const shown = parts.filter(part => part.text);
    if (!shown.length) { shown.push({text: NONE, css: 'missing'}); }
    shown.forEach(part => made.append(element('div', part.text, {class: part.css ?? 'value'})));
    return made;
  }

  const runOf = number => data.runs[number];

  function factLines(numbers) {
    return data.facts.map((name, index) => {
      const values = numbers.map(number => runOf(number).facts[index]);
      const differs = new Set(values).size > 1;
      const css = differs ? 'differs' : 'value';
      return [differs ? `${name} ≠` : name, ...values.map(text => cell({text, css}))];
    });
  }

  function ratioParts(reference, number, point) {
    if (reference === number) { return []; }
    const found = data.ratios[`${reference},${number}`]?.[point];
    if (!found) { return []; }
    const [ratio, interval, finding] = found;
    const words = interval ? `× ${ratio} (${interval})` : `× ${ratio} (one repeat)`;
    const css = `finding ${finding === 'not decided' ? 'open' : finding}`;
    return [{text: words, css: 'ratio'}, {text: finding, css}];
  }

  function pointLines(numbers) {
    const [reference] = numbers;
    const names = data.points.map((_, point) => point)
      .filter(point => numbers.some(number => point in runOf(number).points));
    return names.map(point => {
      const [title, unit] = data.points[point];
      const cells = numbers.map(number => {
        const [value, interval, note] = runOf(number).points[point] ?? ['', '', ''];
        const between = interval ? `${interval}` : '';
        return cell({text: value}, {text: between, css: 'interval'}, {text: note, css: 'note'},
          ...ratioParts(reference, number, point));
      });
      return [`${title}, ${unit}`, ...cells];
    });
  }

  function verdictLines(numbers, key) {
    const names = [...new Set(numbers.flatMap(number => Object.keys(runOf(number)[key])))];
    return names.map(name => {
      const has = number => Object.hasOwn(runOf(number)[key], name);
      const cells = numbers.map(number => {
        if (!has(number)) { return cell(); }
        const [verdict, more] = runOf(number)[key][name];
        const word = VERDICTS.includes(verdict) ? verdict.replaceAll(' ', '-') : 'other';
        return cell({text: verdict, css: `v v-${word}`}, {text: more, css: 'note'});
      });
      return [name, ...cells];
    });
  }

  function compare() {
    const boxes = all('#table .choice input').filter(box => box.checked);
    const numbers = boxes.map(box => Number(box.value)).sort((a, b) => a - b);
    const place = one('[data-comparison]');
    const isReady = numbers.length > 1;
    one('[data-hint]').textContent = isReady
      ? `${numbers.length} runs; reference: ${runOf(numbers[0]).name}`
      : 'Select two or more runs in the table.';
    place.replaceChildren();
    if (!isReady) { return; }
    const names = numbers.map(number => runOf(number).name);
    const parts = [
      ['The selected runs', factLines(numbers)],
      ['Points: mean, 95 % interval, and ratio to the reference', pointLines(numbers)],
      ['Acceptance criteria', verdictLines(numbers, 'criteria')],
      ['Faults: verdict and longest outage', verdictLines(numbers, 'faults')],
    ];
    const filled = parts.filter(([, lines]) => lines.length);
    place.append(...filled.map(([title, lines]) => table(title, ['', ...names], lines)));
  }

  // ---- start

  document.documentElement.classList.remove('plain');
  heads.filter(head => head.dataset.key).forEach(addSorting);
  all('[data-filter], [data-from], [data-to], [data-text]').forEach(item => {
    item.addEventListener('input', filter);
  });
  one('[data-reset]').addEventListener('click', () => {
    all('.filters select, .filters input').forEach(item => { item.value = ''; });
    filter();
  });
  all('#table .choice input').forEach(box => box.addEventListener('change', compare));
  filter();
  compare();
})();
