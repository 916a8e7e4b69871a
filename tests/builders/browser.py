"""The browser that renders pages, and a script that measures them there."""

import shutil

BROWSER = next(
    (
        found
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (found := shutil.which(name))
    ),
    "",
)
LOOK = """
function look(frame) {
  const page = frame.contentDocument, width = page.documentElement.clientWidth;
  const scrolls = e => e.closest('.scroll, pre');
  const kind = e => `${e.tagName} ${e.className.baseVal ?? e.className}`;
  const name = e => `${kind(e)} ${e.textContent.trim().slice(0, 40)}`;
  page.querySelectorAll('details').forEach(e => { e.open = true; });
  const every = [...page.body.querySelectorAll('*')];
  const shown = every.filter(e => e.getClientRects().length && !e.closest('.skip, .unseen'));
  const html = shown.filter(e => !e.closest('svg') && !scrolls(e));
  const texts = shown.filter(e => e.tagName == 'text');
  const box = e => e.getBoundingClientRect();
  return {
    wide: page.documentElement.scrollWidth - width,
    outside: html.filter(e => box(e).right > width + 1 || box(e).left < -1).map(name),
    cut: html.filter(e => e.scrollWidth > e.clientWidth + 1
      && getComputedStyle(e).overflowX != 'visible').map(name),
    clipped: texts.filter(e => { const svg = box(e.ownerSVGElement), it = box(e);
      return it.left < svg.left - 1 || it.right > svg.right + 1
        || it.bottom > svg.bottom + 1; }).map(name),
    small: [...page.querySelectorAll('figure')].filter(e =>
      ![...e.querySelectorAll('svg')].some(svg =>
        box(svg).width > 20 && box(svg).height > 5
          && svg.querySelector('path, rect, text'))).map(name),
    twice: [...page.querySelectorAll('figure')].filter(e => e.querySelector('.narrow') &&
      e.querySelectorAll('.wide, .narrow').length != 2 * [...e.querySelectorAll('.wide, .narrow')]
        .filter(it => it.getClientRects().length).length).map(name),
    texts: texts.length,
  };
}
addEventListener('load', () => {
  const found = [...document.querySelectorAll('iframe')].map(look);
  document.body.innerHTML = '';
  const text = JSON.stringify(found);
  document.body.append(
    Object.assign(document.createElement('pre'), {id: 'found', textContent: text}));
});
"""
