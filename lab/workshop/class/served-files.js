import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { CHART_JS } from 'mongodb-pool-page';

/** @type {Record<string, [file: URL, type: string]>} */
const FILES = {
  '/': [new URL('browser/class.html', import.meta.url), 'html'],
  '/join': [new URL('browser/learner.html', import.meta.url), 'html'],
  '/class.css': [new URL('browser/class.css', import.meta.url), 'css'],
  '/show-class.js': [new URL('browser/show-class.js', import.meta.url), 'js'],
  '/show-learner.js': [new URL('browser/show-learner.js', import.meta.url), 'js'],
  '/class-charts.js': [new URL('browser/class-charts.js', import.meta.url), 'js'],
  '/class-people.js': [new URL('browser/class-people.js', import.meta.url), 'js'],
  '/class-page.js': [new URL('browser/class-page.js', import.meta.url), 'js'],
  '/chart.js': [pathToFileURL(CHART_JS), 'js'],
  '/icon.svg': [new URL(import.meta.resolve('mongodb-pool-page/page/icon.svg')), 'svg'],
  '/look.css': [new URL(import.meta.resolve('mongodb-pool-page/universal/look.css')), 'css'],
};

/** @type {Map<string, string>} */
const texts = new Map();

/** Sends the files of both pages, which contain no data. @type {import('express').RequestHandler} */
export const sendPageFile = (req, res, next) => {
  // The learners' page is the same for each code.
  const path = /^\/join\/[^/]*$/.test(req.path) ? '/join' : req.path;
  if (!Object.hasOwn(FILES, path) || !['GET', 'HEAD'].includes(req.method)) return next();
  const [file, type] = FILES[path];
  const text = texts.get(path) ?? readFileSync(file, 'utf8');
  texts.set(path, text);
  res.type(type).set('Cache-Control', 'no-cache').send(text);
};
