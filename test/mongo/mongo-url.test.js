import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { checkMongoUrl } from '../../src/mongo/mongo-url.js';
import { SettingsError } from '../../src/settings.js';

/** From generated passwords. */
const SPECIAL = ['@', '/', '?', '#', ':', '%', '[', ']', '@hunter2:1/', '/hunter2@', '%zz', ':@/'];

describe('a password with special characters', () => {
  test.each(SPECIAL)('raw: hunt%ser2 is refused without being shown', (special) => {
    const check = () => checkMongoUrl(`mongodb://user:hunt${special}er2@db.example.com:27017/pool_lab?tls=true`);
    expect(check).toThrow(SettingsError);
    expect(check).toThrow(/^MONGO_URL is not a connection string(?!.*(hunt|er2))/);
  });

  test.each(SPECIAL)('percent-encoded: hunt%ser2 reaches the driver unchanged', (special) => {
    const password = `hunt${special}er2`;
    const url = `mongodb://user:${encodeURIComponent(password)}@db.example.com:27017/?authSource=admin`;
    checkMongoUrl(url);
    expect(new MongoClient(url).options.credentials?.password).toBe(password);
  });
});

test.each([
  'mongodb://127.0.0.1', 'mongodb://[::1]:27017/', 'mongodb://a:1,b.example.com:2/pool_lab?replicaSet=lab',
  'mongodb+srv://user:pass,word@db.example.com/?retryWrites=true', 'mongodb://%2Ftmp%2Fmongodb.sock/', 'mongodb://user@host?tls=true',
])('%s is accepted', (url) => {
  expect(() => checkMongoUrl(url)).not.toThrow();
});

test.each(['mongodb://user:hunter2:27017/', 'mongodb://user:hunter2', 'mongodb://user:hunter2@', 'mongodb://@hunter2'])(
  'without a host, the password is not mistaken for one: %s', (url) => {
    expect(() => checkMongoUrl(url)).toThrow(/^MONGO_URL is not a connection string(?!.*hunt)/);
  });
