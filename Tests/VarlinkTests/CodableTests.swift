import Testing

@testable import Varlink

@Suite
struct `Swift types and JSON` {
    struct Inner: Codable, Hashable {
        var word: Word?
        var numbers: [Double] = []
    }
    enum Word: String, Codable { case one, two }
    struct Outer: Codable, Hashable {
        var name = "x"
        var flag = true
        var byte: UInt8 = 255
        var whole: Int64 = .min
        var inner: [Inner] = []
        var byName: [String: Int] = [:]
        var payload: JSON = nil
        var object: JSON.Object = [:]
        var missing: String?
    }

    @Test func `a value survives the way there and back`() throws {
        var outer = Outer()
        outer.inner = [Inner(word: .two, numbers: [1, 2.5]), Inner()]
        outer.byName = ["a": 1]
        outer.payload = ["free": [1, nil, "text", 1.5, false]]
        outer.object = ["k": "v"]
        let json = try JSON(encoding: outer)
        #expect(json["missing"] == nil)
        #expect(json["payload"] == outer.payload)
        #expect(try JSON(parsing: json.text).decode(Outer.self) == outer)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let json: String, path: String
        var testDescription: String { json }
    }

    @Test(arguments: [
        Row(json: "[]", path: ""), Row(json: "{}", path: "name"), Row(json: #"{"name":1}"#, path: "name"),
        Row(json: #"{"name":"","flag":1}"#, path: "flag"),
        Row(json: #"{"name":"","flag":true,"byte":256}"#, path: "byte"),
        Row(json: #"{"name":"","flag":true,"byte":1.0}"#, path: "byte"),
        Row(
            json: #"{"name":"","flag":true,"byte":1,"whole":2,"inner":[{"numbers":[]},{"numbers":[1,"2"]}]}"#,
            path: "inner[1].numbers[1]"),
        Row(
            json: #"{"name":"","flag":true,"byte":1,"whole":2,"inner":[{"word":"three","numbers":[]}]}"#,
            path: "inner[0].word"),
    ])
    func `a mismatch names its place`(_ row: Row) throws {
        let json = try JSON(parsing: row.json)
        #expect { try json.decode(Outer.self) } throws: { ($0 as? JSON.Mismatch)?.path == row.path }
    }

    @Test func `a number beyond Int64 cannot be encoded`() {
        #expect(throws: JSON.Mismatch.self) { try JSON(encoding: ["n": UInt64.max]) }
        #expect(throws: JSON.Mismatch.self) { try EncodedMessage(reply: [1, 2]) }
    }

    @Test func `strings, arrays and nulls stand for themselves`() throws {
        #expect(try JSON(encoding: "a") == "a")
        #expect(try JSON(encoding: [1, nil] as [Int?]) == [1, nil])
        #expect(try JSON.array(["a", "b"]).decode([String].self) == ["a", "b"])
        #expect(throws: JSON.Mismatch.self) { try JSON.array(["a", 1]).decode([String].self) }
        #expect(try JSON.array([1, nil]).decode([Int?].self) == [1, nil])
        #expect(try JSON.int(3).decode(Double.self) == 3)
    }
}
