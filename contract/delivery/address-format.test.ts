import { describe, expect, test } from 'vitest';
import {
  emptyAddress,
  findMissing,
  formatAddress,
  type PostalAddress,
  questionPostcode,
} from './address-format.ts';
import { postalAddress } from './addresses.ts';

type Shape = Partial<PostalAddress> & Pick<PostalAddress, 'country' | 'name' | 'line1'>;

/** Real shapes of addresses, and their lines in the layout of the country. */
const shapes: [shape: Shape, lines: string][] = [
  [
    { country: 'GB', name: 'Ann Lee', line1: '12 Mill Lane', city: 'Leeds', postcode: 'LS1 4AP' },
    'Ann Lee|12 Mill Lane|Leeds|LS1 4AP|UNITED KINGDOM',
  ],
  [
    {
      country: 'GB',
      name: 'Ann Lee',
      company: 'Lee & Daughters Ltd',
      line1: 'Unit 4, The Forge',
      line2: 'Mill Lane, Upper Poppleton',
      city: 'York',
      postcode: 'YO26 6QB',
    },
    'Ann Lee|Lee & Daughters Ltd|Unit 4, The Forge|Mill Lane, Upper Poppleton|York|YO26 6QB|UNITED KINGDOM',
  ],
  [
    { country: 'GB', name: 'Cpl J. Smith', line1: '2 Signal Regiment', postcode: 'BFPO 58' },
    'Cpl J. Smith|2 Signal Regiment|BFPO 58|UNITED KINGDOM',
  ],
  [
    { country: 'GB', name: 'Cpl J. Smith', line1: '2 Signal Regiment', city: 'BFPO 58', postcode: 'BF1 2AU' },
    'Cpl J. Smith|2 Signal Regiment|BFPO 58|BF1 2AU|UNITED KINGDOM',
  ],
  [
    { country: 'GB', name: 'Flora', line1: 'An Taigh Bàn', city: 'Steòrnabhagh', postcode: 'hs1 2xx' },
    'Flora|An Taigh Bàn|Steòrnabhagh|hs1 2xx|UNITED KINGDOM',
  ],
  [
    { country: 'GB', name: 'HM Shop', line1: 'PO Box 12', city: 'London', postcode: 'N1 0AA' },
    'HM Shop|PO Box 12|London|N1 0AA|UNITED KINGDOM',
  ],
  [
    { country: 'IE', name: 'Aoife Ní Bhriain', line1: 'Cloonfad', city: 'Ballyhaunis', region: 'Co. Mayo' },
    'Aoife Ní Bhriain|Cloonfad|Ballyhaunis|Co. Mayo|IRELAND',
  ],
  [
    { country: 'IE', name: 'Seán', line1: '3 Grafton Street', city: 'Dublin 2', postcode: 'D02 VF65' },
    'Seán|3 Grafton Street|Dublin 2|D02 VF65|IRELAND',
  ],
  [
    {
      country: 'US',
      name: 'Bo Diaz',
      line1: '350 5th Ave Apt 12B',
      city: 'New York',
      region: 'NY',
      postcode: '10118-0110',
    },
    'Bo Diaz|350 5th Ave Apt 12B|New York, NY 10118-0110|UNITED STATES',
  ],
  [
    {
      country: 'US',
      name: 'SGT Bo Diaz',
      line1: 'PSC 3 Box 1412',
      city: 'APO',
      region: 'AE',
      postcode: '09021',
    },
    'SGT Bo Diaz|PSC 3 Box 1412|APO, AE 09021|UNITED STATES',
  ],
  [
    { country: 'US', name: 'Jo', line1: 'HC 1 Box 9', city: 'Dell', region: 'Montana', postcode: '59724' },
    'Jo|HC 1 Box 9|Dell, Montana 59724|UNITED STATES',
  ],
  [
    { country: 'PR', name: 'Luz', line1: 'PO Box 9', city: 'San Juan', postcode: '00907' },
    'Luz|PO Box 9|San Juan PR 00907|PUERTO RICO',
  ],
  [
    {
      country: 'CA',
      name: 'Zoé',
      line1: '10-123, rue Main',
      city: 'Montréal',
      region: 'QC',
      postcode: 'H3Z 2Y7',
    },
    'Zoé|10-123, rue Main|Montréal QC H3Z 2Y7|CANADA',
  ],
  [
    {
      country: 'AU',
      name: 'Kim',
      company: 'Clocks Pty Ltd',
      line1: 'Locked Bag 1',
      city: 'ALICE SPRINGS',
      region: 'NT',
      postcode: '0870',
    },
    'Clocks Pty Ltd|Kim|Locked Bag 1|ALICE SPRINGS NT 0870|AUSTRALIA',
  ],
  [
    { country: 'NZ', name: 'Aroha', line1: 'RD 2', city: 'Te Kūiti', postcode: '3982' },
    'Aroha|RD 2|Te Kūiti 3982|NEW ZEALAND',
  ],
  [
    { country: 'DE', name: 'Jörg Groß', line1: 'Straße des 17. Juni 135', city: 'Berlin', postcode: '10623' },
    'Jörg Groß|Straße des 17. Juni 135|10623 Berlin|GERMANY',
  ],
  [
    {
      country: 'DE',
      name: 'J. Groß',
      company: 'Uhren GmbH',
      line1: 'Postfach 10 01 02',
      city: 'Bonn',
      postcode: '53101',
    },
    'J. Groß|Uhren GmbH|Postfach 10 01 02|53101 Bonn|GERMANY',
  ],
  [
    {
      country: 'DE',
      name: 'Groß',
      line1: 'Packstation 145',
      line2: '12345678',
      city: 'Bonn',
      postcode: '53113',
    },
    'Groß|Packstation 145|12345678|53113 Bonn|GERMANY',
  ],
  [
    {
      country: 'AT',
      name: 'Eva Berg',
      line1: 'Hauptplatz 1/2/15',
      city: 'Sankt Pölten',
      postcode: 'A-3100',
    },
    'Eva Berg|Hauptplatz 1/2/15|A-3100 Sankt Pölten|AUSTRIA',
  ],
  [
    { country: 'CH', name: 'Urs', line1: 'Im Bühl', city: 'Zürich', postcode: 'CH-8001' },
    'Urs|Im Bühl|CH-8001 Zürich|SWITZERLAND',
  ],
  [
    { country: 'CH', name: 'Urs', line1: 'Im Bühl', city: 'Zürich', postcode: '8001' },
    'Urs|Im Bühl|CH-8001 Zürich|SWITZERLAND',
  ],
  [
    { country: 'LI', name: 'Ida', line1: 'Städtle 1', city: 'Vaduz', postcode: 'fl 9490' },
    'Ida|Städtle 1|FL-9490 Vaduz|LIECHTENSTEIN',
  ],
  [
    {
      country: 'FR',
      name: 'Léa',
      line1: '3 bis rue de l’Église',
      city: 'Paris CEDEX 08',
      postcode: '75380',
    },
    'Léa|3 bis rue de l’Église|75380 Paris CEDEX 08|FRANCE',
  ],
  [
    {
      country: 'FR',
      name: 'Léa',
      line1: 'BP 40221',
      line2: 'Lieu-dit Kerhervé',
      city: 'Auray',
      postcode: '56402',
    },
    'Léa|BP 40221|Lieu-dit Kerhervé|56402 Auray|FRANCE',
  ],
  [
    { country: 'NL', name: 'Jan', line1: '’s-Gravenweg 1', city: '’s-Gravenhage', postcode: '2511 AA' },
    'Jan|’s-Gravenweg 1|2511 AA ’s-Gravenhage|NETHERLANDS',
  ],
  [
    { country: 'BE', name: 'Lou', line1: 'Rue Neuve 1 bte 3', city: 'Liège', postcode: '4000' },
    'Lou|Rue Neuve 1 bte 3|4000 Liège|BELGIUM',
  ],
  [
    { country: 'LU', name: 'Max', line1: '1, rue du Fort', city: 'Luxembourg', postcode: 'LU-1449' },
    'Max|1, rue du Fort|L-1449 Luxembourg|LUXEMBOURG',
  ],
  [
    { country: 'ES', name: 'Íñigo', line1: 'C/ Mayor 1, 3º izda.', city: 'Madrid', postcode: '28001' },
    'Íñigo|C/ Mayor 1, 3º izda.|28001 Madrid|SPAIN',
  ],
  [
    { country: 'IT', name: 'Pia', line1: 'Via Roma 1', city: 'Udine', region: 'UD', postcode: '33100' },
    'Pia|Via Roma 1|33100 Udine UD|ITALY',
  ],
  [
    { country: 'PT', name: 'Inês', line1: 'Apartado 42', city: 'Évora', postcode: '7001-901' },
    'Inês|Apartado 42|7001-901 Évora|PORTUGAL',
  ],
  [
    { country: 'PL', name: 'Łucja', line1: 'ul. Długa 1 m. 2', city: 'Łódź', postcode: '90-001' },
    'Łucja|ul. Długa 1 m. 2|90-001 Łódź|POLAND',
  ],
  [
    { country: 'LT', name: 'Rūta', line1: 'Gedimino pr. 1', city: 'Vilnius', postcode: 'LT-01103' },
    'Rūta|Gedimino pr. 1|LT-01103 Vilnius|LITHUANIA',
  ],
  [
    { country: 'LT', name: 'Rūta', line1: 'Gedimino pr. 1', city: 'Vilnius', postcode: '01103' },
    'Rūta|Gedimino pr. 1|LT-01103 Vilnius|LITHUANIA',
  ],
  [
    { country: 'LV', name: 'Jānis', line1: 'Brīvības iela 1-2', city: 'Rīga', postcode: 'LV-1010' },
    'Jānis|Brīvības iela 1-2|Rīga, LV-1010|LATVIA',
  ],
  [
    { country: 'SE', name: 'Åsa', line1: 'Box 12', city: 'Malmö', postcode: 'SE-211 20' },
    'Åsa|Box 12|SE-211 20 Malmö|SWEDEN',
  ],
  [
    { country: 'HU', name: 'Szabó Éva', line1: 'Fő utca 1. II/3.', city: 'Győr', postcode: '9021' },
    'Szabó Éva|Győr|Fő utca 1. II/3.|9021|HUNGARY',
  ],
  [
    { country: 'GR', name: 'Ελένη', line1: 'Ερμού 1', city: 'Αθήνα', postcode: '105 63' },
    'Ελένη|Ερμού 1|105 63 Αθήνα|GREECE',
  ],
  [
    {
      country: 'BD',
      name: 'রহিম উদ্দিন',
      line1: 'বাড়ি ১২, রোড ৫, ধানমন্ডি',
      city: 'ঢাকা',
      postcode: '১২০৫',
    },
    'রহিম উদ্দিন|বাড়ি ১২, রোড ৫, ধানমন্ডি|ঢাকা - ১২০৫|BANGLADESH',
  ],
  [
    { country: 'BD', name: 'Rahim', line1: 'Vill: Char Kukri', line2: 'P.O. Char Fasson', city: 'Bhola' },
    'Rahim|Vill: Char Kukri|P.O. Char Fasson|Bhola|BANGLADESH',
  ],
  [
    {
      country: 'IN',
      name: 'Asha',
      line1: 'H.No. 4, near Shiv Mandir',
      city: 'Pune',
      region: 'Maharashtra',
      postcode: '411 001',
    },
    'Asha|H.No. 4, near Shiv Mandir|Pune 411 001|Maharashtra|INDIA',
  ],
  [
    {
      country: 'JP',
      name: '山田太郎',
      line1: '丸の内1-1-1',
      city: '千代田区',
      region: '東京都',
      postcode: '100-0005',
    },
    '〒100-0005|東京都千代田区|丸の内1-1-1|山田太郎|JAPAN',
  ],
  [
    {
      country: 'JP',
      name: '山田太郎',
      company: '株式会社時計',
      line1: '丸の内1-1-1',
      region: '東京都',
      postcode: '〒100−0005',
    },
    '〒100−0005|東京都|丸の内1-1-1|株式会社時計|山田太郎|JAPAN',
  ],
  [
    {
      country: 'JP',
      name: 'Taro Yamada',
      line1: '1-1-1 Marunouchi',
      city: 'Chiyoda-ku',
      region: 'Tokyo',
      postcode: '100-0005',
    },
    'Taro Yamada|1-1-1 Marunouchi|Chiyoda-ku, Tokyo 100-0005|JAPAN',
  ],
  [
    {
      country: 'CN',
      name: '李雷',
      line1: '建国路1号',
      city: '朝阳区',
      region: '北京市',
      postcode: '100025',
    },
    '100025|北京市朝阳区|建国路1号|李雷|CHINA',
  ],
  [
    { country: 'CN', name: 'Li Lei', line1: '1 Jianguo Rd', city: 'Beijing', postcode: '100025' },
    'Li Lei|1 Jianguo Rd|Beijing|100025|CHINA',
  ],
  [
    { country: 'KR', name: '김철수', line1: '세종대로 110', city: '중구', region: '서울', postcode: '04524' },
    '서울 중구|세종대로 110|김철수|04524|SOUTH KOREA',
  ],
  [
    { country: 'HK', name: 'Mei Chan', line1: 'Flat 25, 12/F, Acacia Building', city: 'Wan Chai' },
    'Mei Chan|Flat 25, 12/F, Acacia Building|Wan Chai|HONG KONG SAR CHINA',
  ],
  [
    { country: 'HK', name: '陳美', line1: '軒尼詩道1號', city: '灣仔', region: '香港島' },
    '香港島|灣仔|軒尼詩道1號|陳美|HONG KONG SAR CHINA',
  ],
  [
    { country: 'AE', name: 'عمر', line1: 'ص.ب. ١٢٣٤', region: 'دبي' },
    'عمر|ص.ب. ١٢٣٤|دبي|UNITED ARAB EMIRATES',
  ],
  [
    { country: 'SA', name: 'فاطمة', line1: '٨٢٢٨ شارع الإمام', city: 'الرياض', postcode: '١٢٣٤٣' },
    'فاطمة|٨٢٢٨ شارع الإمام|الرياض ١٢٣٤٣|SAUDI ARABIA',
  ],
  [
    { country: 'EG', name: 'منى', line1: '١ شارع طلعت حرب', city: 'القاهرة' },
    'منى|١ شارع طلعت حرب|القاهرة|EGYPT',
  ],
  [
    { country: 'SG', name: 'Wei', line1: '1 Raffles Place #20-01', postcode: '048616' },
    'Wei|1 Raffles Place #20-01|SINGAPORE 048616|SINGAPORE',
  ],
  [
    {
      country: 'BR',
      name: 'João',
      line1: 'Rua XV, 100 – apto 2',
      city: 'Curitiba',
      region: 'PR',
      postcode: '80020-310',
    },
    'João|Rua XV, 100 – apto 2|Curitiba-PR|80020-310|BRAZIL',
  ],
  [
    { country: 'CI', name: 'Awa', line1: '01 BP 3883', line2: 'Plateau', city: 'Abidjan 01' },
    'Awa|01 BP 3883|Plateau|Abidjan 01|CÔTE D’IVOIRE',
  ],
  [
    {
      country: 'MZ',
      name: 'Rosa',
      line1: 'Av. Mao 1',
      city: 'Matola',
      region: 'Maputo',
      postcode: '1114',
    },
    'Rosa|Av. Mao 1|1114 Matola, Maputo|MOZAMBIQUE',
  ],
  [
    { country: 'GN', name: 'Sory', line1: 'BP 1234', line2: 'Kaloum', city: 'Conakry', postcode: '020' },
    'Sory|020 BP 1234|Kaloum|Conakry|GUINEA',
  ],
  [
    { country: 'PA', name: 'Ana', line1: 'Apartado 0819-05', city: 'Panamá' },
    'Ana|Apartado 0819-05|Panamá|PANAMA',
  ],
];

describe('an address', () => {
  test.each(shapes)('is accepted and printed as it is written there: %j', (shape, lines) => {
    const address = postalAddress.parse(shape);
    expect(findMissing(address)).toEqual([]);
    expect(formatAddress(address).join('|')).toBe(lines);
  });

  test.each([
    ['GB', ['name', 'line1', 'city', 'postcode']],
    ['US', ['name', 'line1', 'city', 'region', 'postcode']],
    ['DE', ['name', 'line1', 'postcode', 'city']],
    ['IE', ['name', 'line1', 'city']],
    ['HK', ['name', 'city', 'line1']],
    ['AE', ['name', 'line1', 'region']],
    ['MO', ['name', 'line1']],
  ])('in %s must have %j, in the order of the fields', (country, fields) => {
    expect(findMissing(postalAddress.parse({ country })).map(({ field }) => field)).toEqual(fields);
  });

  test.each([
    ['US', '4540', 'Is this right? It usually looks like 12345.'],
    ['GB', '12345', 'Is this right? It usually looks like A12AA.'],
    ['US', '45402-0110', undefined],
    ['GB', 'ec1a 1bb', undefined],
    ['LU', 'L-1449', undefined],
    ['JP', '１００-０００５', undefined],
    ['AE', '123', undefined],
    ['DE', '', undefined],
  ])('in %s with the postcode “%s” is doubted only by its form', (country, postcode, question) => {
    expect(questionPostcode(postalAddress.parse({ country, postcode }))).toBe(question);
  });

  test('keeps a field that its country does not have, and needs no country within it', () => {
    const shape = { country: 'GB', name: 'Ann', line1: '1 Mill Lane', city: 'Leeds', region: 'Yorkshire' };
    expect(formatAddress(postalAddress.parse(shape), 'GB')).toEqual([
      'Ann',
      '1 Mill Lane',
      'Leeds',
      'Yorkshire',
    ]);
  });
});

test('a country whose layout has its name already is printed once', () => {
  const jersey = {
    ...emptyAddress,
    country: 'JE',
    name: 'Ann',
    line1: '1 Pier Road',
    city: 'St Helier',
    postcode: 'JE2 4WD',
  };
  expect(formatAddress(jersey, 'GB')).toEqual(['Ann', '1 Pier Road', 'St Helier', 'JE2 4WD', 'JERSEY']);
});
